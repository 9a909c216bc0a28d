"""`python -m fathom_fleet` is `fathom fleet`."""

import sys

from fathom_fleet.cli import main

if __name__ == "__main__":
    sys.exit(main())
