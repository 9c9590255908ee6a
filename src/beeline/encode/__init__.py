"""From states to what models see; training and search share every encoder."""
