"""Options of ``dbg bench``."""

from __future__ import annotations

from dataclasses import dataclass

from debruijn_gpu.errors import ParameterError, UsageError
from debruijn_gpu.sequences.options import parse_position

#: What can be timed; names of `backends.trials.TRIALS`
OPERATIONS = ("sort", "distinct", "compact", "euler", "cyclospec", "lookandsay")

_BACKENDS = ("cpu", "cuda")
_MOST = 10**12


@dataclass(frozen=True, kw_only=True)
class BenchOptions:
    """What is timed, and how."""

    operations: tuple[str, ...] = OPERATIONS
    sizes: tuple[int, ...] = ()  # none: growing ones, as long as a run takes less than a second
    max_size: int | None = None  # of those that grow; then they go on however long a run takes
    repeats: int = 5  # runs that a figure is the median of, at least
    backends: tuple[str, ...] = ()  # none: those that there are

    def __post_init__(self) -> None:
        for name in self.operations:
            if name not in OPERATIONS:
                raise UsageError(f"{name}: nothing to time", f"choose from {', '.join(OPERATIONS)}")
        for name in self.backends:
            if name not in _BACKENDS:
                raise UsageError(f"--backends {name}: no such backend", "choose cpu, cuda or cpu,cuda")
        if self.repeats < 1:
            raise ParameterError(f"--repeats is {self.repeats}", "give 1 or more")
        if self.sizes and self.max_size is not None:
            raise UsageError("--max-size is for sizes that are not given", "leave it or --sizes out")
        for size in (*self.sizes, *(() if self.max_size is None else (self.max_size,))):
            if not 1 <= size <= _MOST:
                raise ParameterError(f"a size is {size}", f"give one from 1 to {_MOST}")


def parse_sizes(text: str) -> tuple[int, ...]:
    """``1k,1M,2^20`` as numbers, ascending, each once."""
    return tuple(sorted({parse_position(part, "--sizes") for part in text.split(",") if part.strip()}))


def parse_backends(text: str) -> tuple[str, ...]:
    """``cpu,cuda`` as names, the CPU first, whose results are those to compare with."""
    return tuple(sorted({part.strip() for part in text.split(",") if part.strip()}))
