"""Samplers: from tasks to labelled states."""
