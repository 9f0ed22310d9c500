"""Run a command of `dbg` with its kernels timed, for `levels`; the file is named by the environment."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from debruijn_gpu import cli
from tests.benchmarks.levels import FILE, time_kernels

if __name__ == "__main__":
    seconds = time_kernels()
    try:
        cli.main(sys.argv[1:])
    finally:
        Path(os.environ[FILE]).write_text(json.dumps(seconds))
