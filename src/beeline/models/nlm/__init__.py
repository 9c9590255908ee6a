"""Neural logic machines."""
