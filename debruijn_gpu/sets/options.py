"""Options of combining sets of k-mers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from debruijn_gpu.backends.kmers import set_programs
from debruijn_gpu.backends.kmers.set_programs import RULES, SetProgram
from debruijn_gpu.errors import OptionValueError, ParameterError, UsageError
from debruijn_gpu.kmers.options import check_max_count, check_min_count
from debruijn_gpu.run.checks import Check, Checked, at_least as least_of, ensure, exclusive, one_of, valid

#: Operations on any number of sets
OPERATIONS = ("union", "intersect", "subtract", "difference", "symmetric")
COUNT_RULES = tuple(RULES)
#: Formats in which sets are written
SET_FORMATS = ("tsv", "dbgk", "kff", "fasta")

_positive = partial(least_of, low=1)
_DEFAULT_RULES = {"union": "sum", "intersect": "min"}


@dataclass(frozen=True, kw_only=True)
class CountLimits(Checked):
    """Counts of the k-mers to keep in a result."""

    min_count: int = 1
    max_count: int | None = None  # None: no limit

    checks: ClassVar[Sequence[Check]] = (
        valid("min_count", check_min_count),
        valid("max_count", check_max_count),
        ensure(
            lambda options: options.max_count is None or options.min_count <= options.max_count,
            lambda options: f"--min-count {options.min_count} is above --max-count {options.max_count}",
            "give a --max-count of at least --min-count",
            UsageError,
        ),
    )

    @property
    def most(self) -> int:
        """Largest count to keep."""
        return set_programs.MOST_COUNT if self.max_count is None else self.max_count


@dataclass(frozen=True, kw_only=True)
class CombineOptions(CountLimits):
    """Options of an operation on any number of sets."""

    operation: str = "union"
    count: str | None = None  # None: sum of a union, minimum of an intersection
    at_least: int | None = None  # of sets that hold a k-mer
    exactly: int | None = None

    checks: ClassVar[Sequence[Check]] = (
        *CountLimits.checks,
        one_of("operation", OPERATIONS),
        one_of("count", COUNT_RULES, "rule"),
        _positive("at_least"),
        _positive("exactly"),
        *exclusive("at_least", "exactly"),
        ensure(
            lambda options: options.operation in _DEFAULT_RULES or options.count is None,
            lambda options: f"--count has no effect on {options.operation}",
            "leave it out, or choose union or intersect",
            UsageError,
        ),
        ensure(
            lambda options: options.operation in _DEFAULT_RULES or (options.at_least or options.exactly) is None,
            lambda options: f"--at-least and --exactly have no effect on {options.operation}",
            "leave them out, or choose union or intersect",
            UsageError,
        ),
    )

    def program(self, n_sets: int) -> SetProgram:
        """Return the program of this operation on a number of sets.

        Raises
        ------
        ParameterError
            If more sets are asked for than there are.
        """
        for name in ("at_least", "exactly"):
            wanted = getattr(self, name)
            if wanted is not None and wanted > n_sets:
                raise ParameterError(
                    f"{self.option_name(name)} is {wanted}, and there are {n_sets} sets",
                    f"give at most {n_sets}, or name more sets",
                )
        return SetProgram(self._steps(n_sets), n_sets, self.min_count, self.most)

    def _steps(self, n_sets: int) -> tuple[tuple[int, int, int, int], ...]:
        if self.operation in ("subtract", "difference"):
            others = ((set_programs.load(i), set_programs.apply(self.operation, "diff")) for i in range(1, n_sets))
            return (set_programs.load(0), *(step for pair in others for step in pair))
        if self.operation == "symmetric":
            return (set_programs.over_all("sum", 1, 1),)
        least = n_sets if self.operation == "intersect" else 1
        least = self.exactly or self.at_least or least
        rule = self.count or _DEFAULT_RULES[self.operation]
        return (set_programs.over_all(rule, least, self.exactly or n_sets),)


def check_named(names: tuple[str, ...]) -> None:
    """Raise ParameterError if two sets have one name.

    Raises
    ------
    ParameterError
        With the name.
    """
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ParameterError(f"two sets are called {name}", "name them yourself: NAME=FILE")
        seen.add(name)


def split_name(text: str) -> tuple[str, str]:
    """Split ``NAME=FILE``; the name is empty where there is none."""
    name, sign, path = text.partition("=")
    if not sign or "/" in name:
        return "", text
    if not name or not path:
        raise OptionValueError(f"{text}: expected NAME=FILE", "give a name and a file")
    return name, path
