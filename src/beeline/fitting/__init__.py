"""Losses, what they are fed with, and the loops that minimise them."""
