"""The container of contigs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Contigs:
    """Contig sequences spelled by walks, and links between them.

    Ordered by length, longest first, then by sequence; each in the lexicographically smaller strand.

    Attributes
    ----------
    k : int
        Neighbours overlap by k - 1 bases.
    text : ndarray, dtype=uint8
        The sequences (ASCII, upper case) one after another.
    offsets : ndarray, dtype=int64, shape=(n + 1,)
        Contig i is ``text[offsets[i]:offsets[i + 1]]``.
    kmer_counts : ndarray, dtype=int64, shape=(n,)
        Sum of the counts of the contig's k-mers (GFA's KC).
    n_kmers : ndarray, dtype=int64, shape=(n,)
        Number of k-mers in the contig.
    circular : ndarray, dtype=bool, shape=(n,)
        Whether the end continues at the start and nowhere else.
    links : ndarray, dtype=int64, shape=(n_links, 2)
        From and to, each as 2 * contig + strand (1: reverse complement); every link once (of a link and its reverse
        complement the smaller), sorted.
    """

    k: int
    text: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    kmer_counts: NDArray[np.int64]
    n_kmers: NDArray[np.int64]
    circular: NDArray[np.bool_]
    links: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.circular)

    def first(self, n: int) -> Contigs:
        """The first n contigs, with the links among them."""
        among = (self.links < 2 * n).all(axis=1)
        return Contigs(
            k=self.k,
            text=self.text[: self.offsets[n]],
            offsets=self.offsets[: n + 1],
            kmer_counts=self.kmer_counts[:n],
            n_kmers=self.n_kmers[:n],
            circular=self.circular[:n],
            links=self.links[among],
        )

    def sequence(self, i: int) -> bytes:
        """Sequence of contig i."""
        return self.text[self.offsets[i] : self.offsets[i + 1]].tobytes()

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Lengths in bases, shape (n,)."""
        return np.diff(self.offsets)

    @property
    def kmer_depth(self) -> NDArray[np.float64]:
        """Mean count of the k-mers of each contig (k-mer depth), shape (n,)."""
        return self.kmer_counts / np.maximum(self.n_kmers, 1)
