"""Fitting of models: linear ones from pairs of states, and neural networks from labelled states."""
