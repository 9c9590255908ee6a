"""Learned models: their files, what they say in words, and planning with them."""
