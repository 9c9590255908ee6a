"""A reduced reproduction of the PDDL half of Chrestien, Pevný, Edelkamp and Komenda, "Optimize
planning heuristics to rank, not to estimate cost-to-goal" (2023).
"""
