"""The worked examples of Chrestien, Pevný, Edelkamp and Komenda, "Optimize planning heuristics to
rank, not to estimate cost-to-goal" (2023): small graphs, and values that a loss gives their states.
"""
