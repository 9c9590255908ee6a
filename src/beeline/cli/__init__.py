"""The command line: words to calls, results to text or JSON, errors to exit codes."""
