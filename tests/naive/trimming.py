"""Short inserts, adapters and runs at the ends of reads, the slow and obvious way. Reads are str."""

from __future__ import annotations

from tests.naive.kmers import reverse_complement

LEAST_OVERLAP, COMPARED, MOST_MISMATCHES = 30, 50, 5


def n_different(one: str, other: str) -> int:
    """Count the positions in which two texts of one length differ."""
    return sum(a != b for a, b in zip(one, other, strict=True))


def _agree(one: str, other: str) -> bool:
    n = min(len(one), len(other))
    return n >= LEAST_OVERLAP and n_different(one[:n][:COMPARED], other[:n][:COMPARED]) <= MOST_MISMATCHES


def short_insert(first: str, second: str) -> int:
    """Length of an insert shorter than the second mate, by the first offset at which the mates overlap; 0 for none."""
    other = reverse_complement(second)
    if any(_agree(first[at:], other) for at in range(len(first))):
        return 0
    return next((len(other) - at for at in range(1, len(other)) if _agree(first, other[at:])), 0)


def length_without_adapter(read: str, adapter: str, least: int) -> int:
    """Bases before the first place that agrees with an adapter, in seven of eight bases."""
    for at in range(len(read) - least + 1):
        n = min(len(adapter), len(read) - at)
        if n_different(read[at : at + n], adapter[:n]) <= n // 8:
            return at
    return len(read)


def trailing_run(read: str) -> int:
    """Four times the length of the run that a read ends with, and the code of its base."""
    if not read:
        return 0
    return 4 * (len(read) - len(read.rstrip(read[-1]))) + "ACGT".index(read[-1])
