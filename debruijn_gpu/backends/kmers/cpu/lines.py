"""Format k-mers and counts as lines of text."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.alphabet import BASES
from debruijn_gpu.backends.core.cpu.decorators import kernel

_MOST_DIGITS = 10  # of a uint32
_ACGT = np.frombuffer(BASES, np.uint8)
_TAB, _NEWLINE, _ZERO = np.uint8(9), np.uint8(10), np.uint8(48)


@kernel
def kmer_lines(codes, counts, k, start, stop):
    """Lines ``kmer<TAB>count`` of some k-mers; see `HostKmerOperations.kmer_lines`."""
    words = codes.shape[0]
    text = np.empty((stop - start) * (k + 2 + _MOST_DIGITS), np.uint8)
    end = 0
    for i in range(start, stop):
        letter = end + k
        for word in range(words - 1, -1, -1):  # the last base is in the lowest bits of the last word
            value = codes[word, i]
            first = max(letter - 32, end)
            while letter > first:
                letter -= 1
                text[letter] = _ACGT[value & np.uint64(3)]
                value >>= np.uint64(2)
        end += k
        text[end] = _TAB
        count = np.uint32(counts[i])
        n_digits, rest = 1, count // np.uint32(10)
        while rest:
            n_digits, rest = n_digits + 1, rest // np.uint32(10)
        end += n_digits + 1
        for digit in range(1, n_digits + 1):
            text[end - digit] = _ZERO + np.uint8(count % np.uint32(10))
            count //= np.uint32(10)
        text[end] = _NEWLINE
        end += 1
    return text[:end]
