"""Options of queries."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from debruijn_gpu.backends.screens.protocol import MatchRule
from debruijn_gpu.errors import OptionValueError
from debruijn_gpu.run.checks import Checked, excludes, one_of, valid

FORMATS = ("tsv", "jsonl", "matrix")
POSITION_FORMATS = ("rle",)
DEFAULT_MIN_RATIO = "0.8"
_RATIO = re.compile(r"(?:0?\.([0-9]{1,6})|0|(1)(?:\.0{0,6})?)")
_MILLION = 1_000_000


def parse_min_ratio(text: str) -> MatchRule:
    """Parse the minimum share of the k-mers of a record that a sample must have, from 0 to 1.

    Raises
    ------
    OptionValueError
        If it is no such number, or has more than six decimals.
    """
    found = _RATIO.fullmatch(text)
    if found is None:
        raise OptionValueError(
            f"--min-ratio is {text}", "give a share from 0 to 1 with at most six decimals, such as 0.8"
        )
    return MatchRule(1, _MILLION if found[2] else int((found[1] or "0").ljust(6, "0")))


@dataclass(frozen=True, kw_only=True)
class QueryOptions(Checked):
    """Which hits of a query are written, and how."""

    #: Minimum share of the k-mers of a query
    min_ratio: str = DEFAULT_MIN_RATIO
    #: Whether a file is one query, instead of each record
    per_file: bool = False
    #: How positions are written; None: not at all
    positions: str | None = None
    #: Format of the result
    file_format: str = "tsv"

    option_names: ClassVar = {"file_format": "--format"}
    checks = (
        valid("min_ratio", parse_min_ratio),
        one_of("positions", POSITION_FORMATS, "format"),
        one_of("file_format", FORMATS, "format"),
        excludes("positions", "per_file"),
        excludes("positions", "file_format matrix", remedy="choose --format tsv or jsonl"),
    )

    @property
    def rule(self) -> MatchRule:
        """K-mers that a sample needs to be a hit."""
        return parse_min_ratio(self.min_ratio)
