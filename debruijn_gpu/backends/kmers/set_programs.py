"""Programs that combine sets of k-mers: which k-mers the result holds, and how often."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.kmers import set_scalars

OPERATIONS = {
    "union": set_scalars.UNION,
    "intersect": set_scalars.INTERSECT,
    "subtract": set_scalars.SUBTRACT,
    "difference": set_scalars.DIFFERENCE,
}
RULES = {
    "min": set_scalars.MIN,
    "max": set_scalars.MAX,
    "sum": set_scalars.SUM,
    "left": set_scalars.LEFT,
    "right": set_scalars.RIGHT,
    "diff": set_scalars.DIFF,
}
#: The rule of a k-mer that the result lacks
ABSENT = -1
MOST_COUNT = (1 << 32) - 1


@dataclass(frozen=True)
class PairRules:
    """The effect of a program on two sets.

    Attributes
    ----------
    first_alone, second_alone : bool
        Whether the result holds k-mers of one set alone.
    both : int
        Rule for k-mers of both sets, or `ABSENT`.
    """

    first_alone: bool
    second_alone: bool
    both: int


@dataclass(frozen=True)
class SetProgram:
    """Steps in postfix order, each of them an operation and its arguments; see `set_scalars`.

    Attributes
    ----------
    steps : tuple of (int, int, int, int)
        Operation; set or rule; least and most sets.
    n_sets : int
    min_count, max_count : int
        Counts of the k-mers to keep.
    """

    steps: tuple[tuple[int, int, int, int], ...]
    n_sets: int
    min_count: int = 1
    max_count: int = MOST_COUNT

    @property
    def table(self) -> NDArray[np.int64]:
        """The steps: dtype=int64, shape=(n_steps, 4)."""
        return np.array(self.steps, np.int64)

    @property
    def depth(self) -> int:
        """Operands that wait at most."""
        depth = most = 0
        for operation, *_ in self.steps:
            depth += 1 if operation in (set_scalars.LOAD, set_scalars.OVER_ALL) else -1
            most = max(most, depth)
        return most

    def pair_rules(self) -> PairRules | None:
        """Return the effect of a program of one operation on two sets; None for others."""
        if self.n_sets != 2:
            return None
        if len(self.steps) == 1 and self.steps[0][0] == set_scalars.OVER_ALL:
            _, rule, least, most = self.steps[0]
            alone = least <= 1 <= most
            return PairRules(alone, alone, rule if least <= 2 <= most else ABSENT)
        if len(self.steps) != 3 or self.steps[:2] != (load(0), load(1)):
            return None
        operation, rule, *_ = self.steps[2]
        if operation == set_scalars.SUBTRACT:
            rule = ABSENT
        elif operation == set_scalars.DIFFERENCE:
            rule = set_scalars.DIFF
        return PairRules(operation != set_scalars.INTERSECT, operation == set_scalars.UNION, rule)


def load(number: int) -> tuple[int, int, int, int]:
    """Return the step that takes the count in a set."""
    return set_scalars.LOAD, number, 0, 0


def apply(operation: str, rule: str) -> tuple[int, int, int, int]:
    """Return the step that combines the last two operands."""
    return OPERATIONS[operation], RULES[rule], 0, 0


def over_all(rule: str, least: int, most: int) -> tuple[int, int, int, int]:
    """Return the step that combines all sets, for k-mers that are in ``least`` to ``most`` of them."""
    return set_scalars.OVER_ALL, RULES[rule], least, most
