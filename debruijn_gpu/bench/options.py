"""Options of ``dbg bench``."""

from __future__ import annotations

from dataclasses import dataclass

from debruijn_gpu.run.checks import Checked, between, check_choice, check_range, each, excludes, valid
from debruijn_gpu.sequences.options import parse_position

#: What can be timed; names of `backends.trials.TRIALS`
OPERATIONS = ("sort", "distinct", "compact", "euler", "cyclospec", "lookandsay")

_BACKENDS = ("cpu", "cuda")
_MOST = 10**12
_MOST_REPEATS = 1000


def _check_operation(name: str) -> None:
    check_choice("OPERATION", name, OPERATIONS, "operation")


def _check_backend(name: str) -> None:
    check_choice("--backends", name, _BACKENDS, "backend")


def _check_size(size: int) -> None:
    check_range("a size", size, 1, _MOST)


@dataclass(frozen=True, kw_only=True)
class BenchOptions(Checked):
    """Options of benchmarks."""

    operations: tuple[str, ...] = OPERATIONS
    sizes: tuple[int, ...] = ()  # none: growing ones, as long as a run takes less than a second
    max_size: int | None = None  # of those that grow; then they go on however long a run takes
    repeats: int = 5  # runs that a figure is the median of, at least
    backends: tuple[str, ...] = ()  # none: those that there are

    checks = (
        each("operations", _check_operation),
        each("backends", _check_backend),
        between("repeats", 1, _MOST_REPEATS),
        excludes("max_size", "sizes"),
        each("sizes", _check_size),
        valid("max_size", _check_size),
    )


def parse_sizes(text: str) -> tuple[int, ...]:
    """``1k,1M,2^20`` as numbers, ascending, each once."""
    return tuple(sorted({parse_position(part, "--sizes") for part in text.split(",") if part.strip()}))


def parse_backends(text: str) -> tuple[str, ...]:
    """``cpu,cuda`` as names, the CPU first, whose results are those to compare with."""
    return tuple(sorted({part.strip() for part in text.split(",") if part.strip()}))
