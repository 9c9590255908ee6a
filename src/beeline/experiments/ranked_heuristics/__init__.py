"""A reduced reproduction of the PDDL half of Chrestien, Edelkamp, Komenda and Pevný, "Optimize
planning heuristics to rank, not to estimate cost-to-goal" (2023).
"""
