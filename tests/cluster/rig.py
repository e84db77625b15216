#!/usr/bin/env python3
"""Test clusters by hand; `rig.py --help` lists the commands. The package `rig` beside it does it."""

import sys

from rig.cli import main

if __name__ == "__main__":
    sys.exit(main())
