"""Assign k-mers to buckets by minimizer, and choose the buckets of a sample.

A sample of the distinct k-mers is the same on every backend: that of the first buckets.
"""

from __future__ import annotations

N_GROUPS = 128  # adjacent buckets are counted, or left out, together
_FEWEST_BITS, _MOST_BITS = 11, 14
_BASES_PER_BUCKET = 1 << 18  # k-mers of so many bases are counted in a table that fits a CPU's cache


def bucket_bits(n_bases: int) -> int:
    """Choose the number of buckets, as a power of two, for a number of bases (0: unknown)."""
    return min(_MOST_BITS, max(_FEWEST_BITS, (n_bases // _BASES_PER_BUCKET).bit_length()))


def group_size(bits: int) -> int:
    """Buckets of a group, if there are ``2 ** bits`` of them."""
    return (1 << bits) // N_GROUPS


def n_used_buckets(bits: int, sample: float) -> int:
    """Compute how many of ``2 ** bits`` buckets, from the first on, hold a sample of the k-mers."""
    return max(1, round(sample * N_GROUPS)) * group_size(bits)


def minimizer_length(k: int) -> int:
    """Length of the minimizer: long enough to fill thousands of buckets evenly, short enough for long runs."""
    if k < 17:
        return (k + 1) // 2
    return 11 if k < 40 else 15
