"""Depths that headers of contigs state, in the ways of several assemblers."""

from __future__ import annotations

import math
import re

# Depth in headers of dbg (coverage: of version 0.1), SPAdes, MEGAHIT, Unicycler, Shovill and Logan, and in tags of GFA.
_DEPTH = re.compile(
    r"(?:^|[\s_|])(?:kmer_depth|coverage|cov|(?<!read_)depth|multi|DP:f|dp:f|km:f|ka:f)[=_:]?([0-9]+(?:\.[0-9]+)?)x?(?=$|[\s_|])"
)
_READ_DEPTH = re.compile(r"(?:^|\s)read_depth=([0-9]+(?:\.[0-9]+)?)(?=$|\s)")
_MOST_DEPTH = 1 << 62


def stated_depth(name: str, description: str) -> float:
    """Return the depth of k-mers, or of a kind that is not told, that a header states; NaN without one."""
    return _depth_in(_DEPTH, description, name)


def stated_read_depth(description: str) -> float:
    """Return the read depth that a header states; NaN without one."""
    return _depth_in(_READ_DEPTH, description)


def _depth_in(pattern: re.Pattern[str], *texts: str) -> float:
    """Return the depth that the first of the texts states; NaN if none does, or it is too large to count with."""
    found = next((match for text in texts if (match := pattern.search(text))), None)
    depth = float(found[1]) if found else math.nan
    return depth if depth < _MOST_DEPTH else math.nan
