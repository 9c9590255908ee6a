"""Linear regression on four features of a state."""
