"""Note what keeps a command from being run once more in this process: inputs that are used up, and results that left.

A command that loses its GPU is run again on the CPU if nothing is noted here.
"""

from __future__ import annotations

_obstacles: list[str] = []


def begin() -> None:
    """Forget what an earlier command of this process noted."""
    _obstacles.clear()


def note_used_up(name: str) -> None:
    """Note an input, such as a pipe, that cannot be read once more."""
    _obstacles.append(f"{name} cannot be read again")


def note_written(name: str) -> None:
    """Note an output, such as a pipe, that may hold a part of the result already."""
    _obstacles.append(f"{name} may hold a part of the result")


def obstacle() -> str:
    """Return why the command cannot be run again; empty if it can be."""
    return _obstacles[0] if _obstacles else ""
