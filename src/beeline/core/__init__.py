"""Errors, exit codes, statuses and atomic files: what every other room may import."""
