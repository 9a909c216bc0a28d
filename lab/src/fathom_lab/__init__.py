"""Compares programs and benchmarks in one run, and says what can be concluded.

Data flows one way: experiment -> run (raw samples on disk) -> analysis (rows with verdicts) -> report or gate.
"""

__version__ = "0.1.0"
