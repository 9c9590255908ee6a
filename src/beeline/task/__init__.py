"""Ground tasks, plan files and plan validation."""
