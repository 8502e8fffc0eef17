"""`python -m tfprof`."""

import sys

from tfprof.cli.main import main

sys.exit(main())
