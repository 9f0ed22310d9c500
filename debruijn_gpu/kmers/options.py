"""Options of k-mer counting."""

from __future__ import annotations

from dataclasses import dataclass

from debruijn_gpu.alphabet import K_MAX
from debruijn_gpu.errors import OptionValueError, UsageError
from debruijn_gpu.run.checks import Checked, at_least, check_range, ensure, valid
from debruijn_gpu.run.quantities import parse_count

COUNT_MAX = 2**32 - 1
KMER_FORMATS = ("tsv", "npz", "dbgk", "kff", "fasta")
#: Formats without room for further columns
SET_FORMATS = ("dbgk", "kff", "fasta")
HISTOGRAM_FORMATS = ("histogram", "tsv")


def check_k(k: int) -> int:
    """Return k if k-mers of that length can be counted: 1..255."""
    if not 1 <= k <= K_MAX:
        raise OptionValueError(f"k is {k}", f"choose a k from 1 to {K_MAX}")
    return k


def check_min_count(min_count: int) -> int:
    """Return a minimum count if it is 1 to `COUNT_MAX`."""
    check_range("--min-count", min_count, 1, COUNT_MAX)
    return min_count


def check_max_count(max_count: int) -> int:
    """Return a maximum count if it is 1 to `COUNT_MAX`."""
    check_range("--max-count", max_count, 1, COUNT_MAX)
    return max_count


def parse_min_count(text: str) -> int | None:
    """``auto`` gives None, a count (see `parse_count`) itself."""
    if text == "auto":
        return None
    return check_min_count(parse_count(text, "--min-count"))


@dataclass(frozen=True, kw_only=True)
class CountOptions(Checked):
    """Options of k-mer counting."""

    k: int = 21
    canonical: bool = True  # a k-mer and its reverse complement are one
    min_count: int = 1
    #: Of the written table alone, as `dbg count` filters it; None: no limit
    max_count: int | None = None
    top: int | None = None  # the most frequent k-mers alone, as many as this

    checks = (
        valid("k", check_k),
        valid("min_count", check_min_count),
        valid("max_count", check_max_count),
        at_least("top", 1),
        ensure(
            lambda options: options.max_count is None or options.min_count <= options.max_count,
            lambda options: f"--min-count {options.min_count} is above --max-count {options.max_count}",
            "give a --max-count of at least --min-count",
            UsageError,
        ),
    )
