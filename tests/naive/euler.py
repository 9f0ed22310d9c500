"""Slow obvious twins of the edge-centric graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from debruijn_gpu.kmers.table import KmerTable
from tests.naive.sequences import encode, reverse_complement


def kmers_of(text: str, k: int, circular: bool = False) -> list[str]:
    end = text[: k - 1] if circular else ""
    while circular and len(end) < k - 1:
        end += text[: k - 1 - len(end)]
    text += end
    return [text[i : i + k] for i in range(len(text) - k + 1)]


def table_of(kmers: Iterable[str], k: int, canonical: bool) -> KmerTable:
    """Table of counted k-mers."""
    counts: Counter[str] = Counter(min(kmer, reverse_complement(kmer)) if canonical else kmer for kmer in kmers)
    distinct = sorted(counts)
    codes = np.array(encode(distinct, k), np.uint64).reshape(len(distinct), -(-k // 32)).T
    return KmerTable(
        k, np.ascontiguousarray(codes), np.array([counts[kmer] for kmer in distinct], np.uint32), canonical
    )


def edges_of(kmers: Counter[str], canonical: bool) -> Counter[tuple[str, str]]:
    """Edges from prefix to suffix, with their multiplicity; ``kmers`` are as in the table."""
    edges: Counter[tuple[str, str]] = Counter()
    for kmer, n in kmers.items():
        for strand in (kmer, reverse_complement(kmer)) if canonical else (kmer,):
            edges[strand[:-1] or "ε", strand[1:] or "ε"] += n
    return edges
