"""What the verdicts stand on: intervals, tests, corrections. Functions of arrays, which know nothing of experiments."""
