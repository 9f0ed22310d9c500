"""Sorted k-mers with values, in as many parts as an index may read them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from debruijn_gpu.backends.core.array_types import Codes, Counts


@dataclass(frozen=True)
class SmallParts:
    """A table of k-mers in the smallest parts that are allowed; see `KmerParts`."""

    k: int
    codes: Codes
    values: Counts

    def __len__(self):
        return len(self.values)

    @property
    def largest(self):
        return int(self.values.max(initial=0))

    def read(self, n_bits):
        whole = [sum(int(word) << 64 * i for i, word in enumerate(reversed(kmer))) for kmer in self.codes.T]
        leading = np.array([code >> (2 * self.k - n_bits) for code in whole], object)
        cuts = np.flatnonzero(np.concatenate([[True], leading[1:] != leading[:-1], [True]])) if len(self) else [0]
        for start, stop in pairwise(cuts):
            yield self.codes[:, start:stop], self.values[start:stop]
