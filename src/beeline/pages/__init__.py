"""Something to look at: tasks, plans and models as pages, and in notebooks."""
