"""Experiments of papers, repeated: data, training, searches, and tables beside the papers'.

`registry.EXPERIMENTS` has them by name; `running.run_experiment` makes one.
"""
