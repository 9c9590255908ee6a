#compdef beeline
_beeline_completion() {
    local -a offers
    offers=(${(f)"$(_BEELINE_COMPLETE=words beeline "${(@)words[2,$CURRENT]}" 2>/dev/null)"})
    if (( $#offers )); then compadd -a offers; else _files; fi
}
compdef _beeline_completion beeline
