function _beeline_completion
    env _BEELINE_COMPLETE=words beeline (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null
end
complete -c beeline -a "(_beeline_completion)"
