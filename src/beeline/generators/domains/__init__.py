"""One module and one PDDL file for each domain."""
