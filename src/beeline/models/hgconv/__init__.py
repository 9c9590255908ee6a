"""Hypergraph convolutions, as learned to rank."""
