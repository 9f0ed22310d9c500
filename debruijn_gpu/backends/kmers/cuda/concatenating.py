"""Concatenate the counted parts of a store of k-mers."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cuda.masks import Selection, select, selected_values
from debruijn_gpu.backends.arrays.cuda.select import matches
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import assign, assign_columns
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import xp
from debruijn_gpu.backends.kmers.containers import CountedKmers
from debruijn_gpu.backends.kmers.cuda.counting import Counted
from debruijn_gpu.backends.kmers.cuda.grouping import sorted_codes


@guarded
def concatenate_counted(parts: list[CountedKmers], k: int, min_count: int) -> tuple[Array, Array]:
    """See `KmerOperations.concatenate_counted`. Parts are ascending ranges of codes, sorted if k-mers have one word."""
    selections = [select(matches(part.counts, ">", min_count - 1)) for part in parts]
    n_kept = sum(selection.total for selection in selections)
    concatenated = None
    at = 0
    while parts:
        selection = selections.pop(0)
        kept = _filtered(parts.pop(0), selection)
        if concatenated is None:
            if kept.counts.size == n_kept:
                concatenated = kept
                break
            concatenated = Counted(xp.empty((kept.codes.shape[0], n_kept), np.uint64), xp.empty(n_kept, np.uint32))
        assign_columns(concatenated.codes, at, kept.codes)
        assign(concatenated.counts[at : at + kept.counts.size], kept.counts)
        at += kept.counts.size
    parts.clear()
    assert concatenated is not None
    return concatenated.codes, concatenated.counts


def _filtered(part: CountedKmers, selection: Selection) -> Counted:
    """The selected k-mers of a part, in ascending order."""
    codes, counts = part.codes, part.counts
    n_words = codes.shape[0]
    if selection.total < counts.size:
        chosen = xp.empty((n_words, selection.total), np.uint64)
        for w in range(n_words):
            chosen[w] = selected_values(selection, codes[w])
        codes, counts = chosen, selected_values(selection, counts)
    if n_words > 1:
        codes, counts = sorted_codes(codes, counts)
    return Counted(codes, counts)
