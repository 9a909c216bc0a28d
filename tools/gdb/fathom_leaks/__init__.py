"""Finds memory that was never freed, and who allocated it: a recorder that runs inside GDB, and an analyzer of its
trace."""
