"""How good heuristics and models are."""
