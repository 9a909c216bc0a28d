"""The statistics behind the verdicts: intervals, tests, corrections. Functions of arrays, independent of experiments.
"""
