"""Ranking together with admissible bounds, and from several orders of each plan."""
