"""Residual networks of a single state space."""
