"""Evaluation of contigs by sets of k-mers, the slow and obvious way."""

from __future__ import annotations

from collections import Counter

from tests.naive.kmers import count


def evaluated(
    sequences: list[str], circular: list[bool], counts: dict[str, int], k: int, solid: int, min_count: int
) -> dict[str, int]:
    """Numbers of `Evaluation`, but for those of ends, from the counts of all k-mers of the reads."""
    strands = [(s * (1 + k))[: len(s) + k - 1] if turns else s for s, turns in zip(sequences, circular, strict=True)]
    within: Counter[str] = count(strands, k)
    kept = {kmer: n for kmer, n in counts.items() if n >= min_count}
    return {
        "n_solid": sum(n >= solid for n in counts.values()),
        "n_solid_found": sum(counts.get(kmer, 0) >= solid for kmer in within),
        "n_read_kmers": sum(counts.values()),
        "n_explained": sum(kept.get(kmer, 0) for kmer in within),
        "n_contig_kmers": within.total(),
        "n_weak": sum(n for kmer, n in within.items() if kmer in kept and kept[kmer] < solid),
        "n_absent": sum(n for kmer, n in within.items() if kmer not in kept),
    }
