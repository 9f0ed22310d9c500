"""Options of read screening."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from debruijn_gpu.alphabet import K_MAX
from debruijn_gpu.backends.screens.protocol import BOTH, LEFT, RIGHT, MatchRule
from debruijn_gpu.errors import OptionValueError
from debruijn_gpu.run.checks import Checked, at_least, between, exclusive, needs, one_of, valid

KEPT = ("matched", "unmatched", "all")
PAIR_RULES = ("either", "both")
#: Ends of a read that trimming removes, and their numbers for the backend
ENDS = {"both": BOTH, "left": LEFT, "right": RIGHT}

DEFAULT_K = 31
_SHARE = re.compile(r"0?\.([0-9]{1,6})|1\.0{0,6}")
_NUMBER = re.compile(r"[0-9]{1,9}")
_MILLION = 1_000_000


def parse_min_hits(text: str) -> MatchRule:
    """Parse the least number of k-mers in the references: a number, or with a decimal point a share of the read's.

    Raises
    ------
    OptionValueError
        If it is neither, or 0.
    """
    if _NUMBER.fullmatch(text) and int(text):
        return MatchRule(int(text), 0)
    found = _SHARE.fullmatch(text)
    millionths = 0 if found is None else int(found[1].ljust(6, "0")) if found[1] else _MILLION
    if not millionths:
        raise OptionValueError(
            f"--min-hits is {text}",
            "give a number of k-mers (1 or more), or a share of the read's k-mers with a decimal point (0.5, or 1.0)",
        )
    return MatchRule(1, millionths)


@dataclass(frozen=True, kw_only=True)
class ScreenOptions(Checked):
    """When a read matches, and what is done with it."""

    #: Length of the k-mers; None: that of an index, or 31
    k: int | None = None
    #: Least number of k-mers, or share of them, that are in the references
    min_hits: str = "0.5"
    #: Reads that are written; None: those that do not match, or all that are trimmed or masked
    keep: str | None = None
    #: Mates that match if the pair does; with trimming, mates that are too short if the pair is dropped
    pair: str = "either"
    #: Remove matched ends of reads, or write N over matched bases
    trim: bool = False
    mask: bool = False
    #: Ends that are removed
    ends: str = "both"
    #: Bases that a trimmed read must have left
    min_length: int = 1
    #: Whether each record of a file is a reference of its own
    per_record: bool = False

    option_names: ClassVar = {"k": "-k"}
    checks = (
        between("k", 1, K_MAX),
        valid("min_hits", parse_min_hits),
        one_of("keep", KEPT, "choice"),
        one_of("pair", PAIR_RULES, "rule"),
        one_of("ends", tuple(ENDS), "choice"),
        at_least("min_length", 0),
        *exclusive("trim", "mask"),
        needs("ends", "trim"),
        needs("min_length", "trim"),
    )

    @property
    def rule(self) -> MatchRule:
        """When a read matches."""
        return parse_min_hits(self.min_hits)

    @property
    def kept(self) -> str:
        """Reads that are written, one of `KEPT`."""
        return self.keep or ("all" if self.trim or self.mask else "unmatched")
