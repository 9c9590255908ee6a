"""The parts of `tools/fuzz.py`: inputs by kind, mutations, worker processes, findings."""
