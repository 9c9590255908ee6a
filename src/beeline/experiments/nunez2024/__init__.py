"""A reduced reproduction of the tables of Núñez-Molina, Asai, Mesejo and Fernández-Olivares, "On
using admissible bounds for learning forward search heuristics" (IJCAI 2024).
"""
