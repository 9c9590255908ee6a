"""Convolutions and attention over the cells of a grid that is found in the task itself."""
