"""Find the names of reads in their text."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Bytes, Longs
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.scalars import find_blank


@kernel
def _find(text, starts, spans):
    """Write where the name of each record starts and ends (out, int64 (2 n,))."""
    for i in range(starts.size):
        at = starts[i] + 1
        spans[2 * i], spans[2 * i + 1] = at, find_blank(text, at)


def name_spans(text: Bytes, starts: Longs) -> Longs:
    """See `TextOperations.name_spans`."""
    spans = np.empty(2 * len(starts), np.int64)
    _find(np.require(text, np.uint8, ["C", "W"]), np.ascontiguousarray(starts), spans)
    return spans
