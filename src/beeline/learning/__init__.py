"""From tasks to a model: plans, candidates, and a choice among them by planning."""
