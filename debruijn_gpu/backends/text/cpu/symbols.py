"""Parse and format symbols; see `TextOperations`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.text.containers import ALIEN, SKIPPED

_ALIEN, _SKIPPED = np.int16(ALIEN), np.int16(SKIPPED)


@kernel
def _encode(text, codes_of, start, stop, codes):
    """Write the codes of start..stop of a text to the front of ``codes[start:stop]``; how many, and where a byte is no
    symbol (-1: nowhere)."""
    n = start
    for i in range(start, stop):
        code = codes_of[text[i]]
        if code == _ALIEN:
            return n - start, i
        codes[n] = code
        n += code != _SKIPPED
    return n - start, -1


def encode_letters(text: NDArray[np.uint8], codes_of: NDArray[np.int16]) -> tuple[NDArray[np.uint8], int]:
    """See `TextOperations.encode_letters`."""
    codes = np.empty(len(text), np.uint8)
    ranges = threads.ranges(len(text))
    found = threads.over_items(ranges, lambda edges: _encode(text, codes_of, *edges, codes))
    end = 0
    for (start, _), (n, fault) in zip(ranges, found, strict=True):
        if end < start:  # blanks were left out before
            codes[end : end + n] = codes[start : start + n]
        end += n
        if fault >= 0:
            return codes[:end], fault
    return codes[:end], -1


@kernel
def _measure(codes, offsets, start, stop):
    """Bytes of the names of the codes start..stop."""
    total = 0
    for i in range(start, stop):
        total += offsets[codes[i] + 1] - offsets[codes[i]]
    return total


@kernel
def _spell(codes, names, offsets, start, stop, text):
    """Write the names of the codes start..stop to a text (uint8)."""
    at = 0
    for i in range(start, stop):
        for j in range(offsets[codes[i]], offsets[codes[i] + 1]):
            text[at] = names[j]
            at += 1


def spell_names(codes: NDArray[Any], names: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.uint8]:
    """See `TextOperations.spell_names`."""
    codes = codes.astype(np.int64)
    ranges = threads.ranges(len(codes))
    sizes = threads.over_items(ranges, lambda edges: _measure(codes, offsets, *edges))
    ends = np.cumsum(np.array(sizes, np.int64))
    text = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
    places = [(*edges, text[end - size : end]) for edges, size, end in zip(ranges, sizes, ends, strict=True)]
    threads.over_items(places, lambda place: _spell(codes, names, offsets, *place))
    return text
