"""Describe the machine and the checkout that are measured."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path
from typing import Any

from debruijn_gpu.run.resources import allowed_cpus, cpu_model

ROOT = Path(__file__).resolve().parents[2]


def machine() -> dict[str, Any]:
    """Return model and number of CPUs, memory and system."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {"cpu": cpu_model(), "cpus": allowed_cpus(), "memory_bytes": memory, "system": platform.system()}


def commit() -> str:
    """Commit of this checkout, marked if files differ from it."""
    git = ["git", "-C", str(ROOT)]
    head = subprocess.run([*git, "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True, check=False)
    if head.returncode:
        return "unknown"
    changed = subprocess.run([*git, "status", "--porcelain", "-uno"], capture_output=True, text=True, check=False)
    return head.stdout.strip() + (" and changes" if changed.stdout else "")
