"""Decide whether the first line of an edge list is a header.

Names of columns may be names of vertices, too (``u v``), so all lines decide: vertices of the first line that others
have make it an edge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.io.opening import display_name
from debruijn_gpu.run import log
from debruijn_gpu.run.plain_text import shorten

#: Names of the columns of tails and heads, in lower case
COLUMN_NAMES = (
    (b"source", b"target"),
    (b"from", b"to"),
    (b"tail", b"head"),
    (b"src", b"dst"),
    (b"node1", b"node2"),
    (b"node_1", b"node_2"),
    (b"vertex1", b"vertex2"),
    (b"start", b"end"),
    (b"u", b"v"),
)

_ALL_NAMES = {name for pair in COLUMN_NAMES for name in pair}
INTEGER = re.compile(rb"[0-9]+")
_NUMBER = re.compile(rb"[+-]?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?|nan|inf|infinity)", re.IGNORECASE)
_ZERO, _NINE = b"09"


class Evidence(Enum):
    """Why a first line may be a header."""

    WEIGHT = auto()  # its third column is no number, so it is no edge
    NAMES = auto()  # it is one of `COLUMN_NAMES`
    OTHER_ORDER = auto()  # two names of columns, but those of no pair in its order: an edge
    INTEGERS = auto()  # its names are no integers, those of the second line are


@dataclass(frozen=True)
class Header:
    """A first line that may name the columns.

    Attributes
    ----------
    line : int
        Counted from 1.
    content : bytes
        Without its end.
    evidence : Evidence
    """

    line: int
    content: bytes
    evidence: Evidence

    @property
    def may_be_edge(self) -> bool:
        return self.evidence is not Evidence.WEIGHT

    def is_edge(self, tails: NDArray[np.int64], heads: NDArray[np.int64], letters: NDArray[np.uint8]) -> bool:
        """Decide by the other lines whether this one is an edge.

        Parameters
        ----------
        tails, heads : ndarray, dtype=int64
            Vertices of the other lines; 0 and 1 are those of this one.
        letters : ndarray, dtype=uint8
            Names of the other vertices.
        """
        if self.evidence in (Evidence.WEIGHT, Evidence.OTHER_ORDER):
            return self.evidence is Evidence.OTHER_ORDER
        if any(len(ends) and int(ends.min()) < 2 for ends in (tails, heads)):
            return True
        are_integers = not len(letters) or (letters.min() >= _ZERO and letters.max() <= _NINE)
        return self.evidence is Evidence.INTEGERS and not are_integers

    def log(self, path: str, is_edge: bool) -> None:
        """Log whether the line counts as an edge."""
        where, shown = f"{display_name(path)}: line {self.line:,}", shorten(self.content.strip())
        if self.evidence is Evidence.OTHER_ORDER:
            fix = "if they do, write 'source target', or begin the line with #"
            log.logger.warning("%s is an edge; its names do not name the columns: %s; %s", where, shown, fix)
        elif is_edge:
            other = "the same vertices" if self.evidence is Evidence.NAMES else "vertices that are no integers"
            log.report("%s is an edge, not names of columns, as other lines have %s: %s", where, other, shown)
        elif self.evidence is Evidence.INTEGERS:
            fix = "if it is an edge, put the line 'source target' before it"
            log.logger.warning("%s names the columns, as all other names are integers: %s; %s", where, shown, fix)
        else:
            say = log.report if self.may_be_edge else log.logger.info
            say("%s names the columns: %s", where, shown)


def find_evidence(first: Sequence[bytes], second: Sequence[bytes] | None) -> Evidence | None:
    """Return why the first line may be a header; None if it is an edge.

    Parameters
    ----------
    first, second : sequence of bytes
        Columns of the first two lines; None: there is one.
    """
    names = tuple(word.strip().lower() for word in first)
    values = [word.strip() for word in second] if second is not None else []
    if not 2 <= len(names) <= 3 or (second is not None and len(names) != len(values)):
        return None
    is_known = names[:2] in COLUMN_NAMES
    if len(names) == 3:
        is_weighted = bool(values) and _NUMBER.fullmatch(values[2])
        return Evidence.WEIGHT if not _NUMBER.fullmatch(names[2]) and (is_known or is_weighted) else None
    if is_known:
        return Evidence.NAMES
    are_names = names[0] != names[1] and not any(map(INTEGER.fullmatch, names))
    if values and are_names and all(map(INTEGER.fullmatch, values)):
        return Evidence.INTEGERS
    return Evidence.OTHER_ORDER if names[0] != names[1] and _ALL_NAMES.issuperset(names) else None
