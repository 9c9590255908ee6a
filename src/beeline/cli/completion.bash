_beeline_completion() {
    local IFS=$'\n'
    COMPREPLY=($(_BEELINE_COMPLETE=words beeline "${COMP_WORDS[@]:1:$COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _beeline_completion beeline
