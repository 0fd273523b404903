"""`python -m river_trapezoid`."""

import sys

from river_trapezoid.cli import main

if __name__ == "__main__":
    sys.exit(main())
