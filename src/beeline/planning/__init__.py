"""Searches and heuristics by name, `solve`, and its results."""
