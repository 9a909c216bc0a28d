"""Who allocated what was never freed: a recorder that runs inside GDB, and an analyzer of what it wrote."""
