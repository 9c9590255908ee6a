"""A reduced reproduction of the tables of Minini, "Discovering and learning preferred operators for
classical planning with neural networks" (2023).
"""
