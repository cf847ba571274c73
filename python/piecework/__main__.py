"""`python -m piecework` is the command `piecework`."""

import sys

from piecework.cli import main

sys.exit(main())
