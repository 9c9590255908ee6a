"""From states to fitted models."""
