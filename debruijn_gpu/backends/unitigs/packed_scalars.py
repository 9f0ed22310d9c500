"""Compute on sequences of 2 bits per base: scalar functions of both backends.

Sequences follow each other without a gap in words (uint64) of 32 bases (A 0, C 1, G 2, T 3), the first base in the
highest bits. Sequence i is the bases ``offsets[i]`` to ``offsets[i + 1]`` (int64). Walk i is the steps
``walk_offsets[i]`` to ``walk_offsets[i + 1]``, at least one. Step 2i stands for item i, 2i + 1 for its reverse
complement. Consecutive steps overlap by ``overlap`` bases, which the sequence of a walk has once. Positions and numbers
of bases are int64.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.kmer_scalars import bases_from, reverse_complement_word

TWO, THREE = np.uint64(2), np.uint64(3)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


def leading_mask(n):
    """Bits of the first n (1 to 32) bases of a word."""
    return ALL << np.uint64(64 - 2 * n)


def strand_bases(bases, begin, end, at, is_reverse):
    """Load 32 bases from position ``at`` on of the sequence begin..end, or of its reverse complement; what is beyond
    its end is undefined."""
    if not is_reverse:
        return bases_from(bases, begin + at)
    stop = end - at
    if stop >= 32:
        return reverse_complement_word(bases_from(bases, stop - 32))
    return reverse_complement_word(bases_from(bases, 0) >> np.uint64(64 - 2 * stop))


def is_larger_strand(bases, begin, end):
    """Whether the reverse complement of the sequence begin..end is smaller than the sequence."""
    n = end - begin
    at = 0
    while at < n:
        mask = leading_mask(min(n - at, 32))
        ahead = strand_bases(bases, begin, end, at, False) & mask
        behind = strand_bases(bases, begin, end, at, True) & mask
        if ahead != behind:
            return behind < ahead
        at += 32
    return False


def kmer_base(codes, k, step, i):
    """Two-bit code of base i of a k-mer of a table (uint64 (words, n)), or of its reverse complement."""
    bit = 2 * i if step & 1 else 2 * (k - 1 - i)
    code = (codes[codes.shape[0] - 1 - (bit >> 6), step >> 1] >> np.uint64(bit & 63)) & THREE
    return code ^ THREE if step & 1 else code


def spelled_word(word, walk, n_bases, codes, k, walk_offsets, steps):
    """Compute 32 bases of the sequences of walks over k-mers: the first base of each k-mer, all bases of the last one.

    For CUDA, one word per thread; on the CPU, `cpu.spelling` computes the words of a walk in turn.

    Parameters
    ----------
    word : int64
        Number of the word.
    walk : int64
        The walk of its first base, or of the base before it.
    n_bases : int64
        Of all sequences.
    codes, k, walk_offsets, steps
        See `UnitigOperations.spell`.

    Returns
    -------
    uint64, int64
        The word and the walk of its last base.
    """
    value = np.uint64(0)
    stop = min(32 * word + 32, n_bases)
    for place in range(32 * word, stop):
        i = place - (k - 1) * walk
        if i == walk_offsets[walk + 1] + k - 1:
            walk += 1
            i = walk_offsets[walk]
        step = min(i, walk_offsets[walk + 1] - 1)
        value = (value << TWO) | kmer_base(codes, k, np.int64(steps[step]), i - step)
    if stop < 32 * word + 32:
        value <<= np.uint64(2 * (32 * word + 32 - stop))
    return value, walk


def merged_word(word, walk, step, bases, offsets, overlap, walk_offsets, steps, starts):
    """Compute 32 bases of the sequences of walks over sequences.

    Parameters
    ----------
    word : int64
        Number of the word.
    walk, step : int64
        Of its first base.
    bases, offsets : in, uint64 and int64 (n + 1,); the sequences of single steps
    overlap : int64
    walk_offsets, steps : in, int64 (n_walks + 1,), uint32 or uint64 (n_steps,)
    starts : in, int64 (n_steps + 1,); bases of the steps before each, ``overlap`` bases less for each of them

    Returns
    -------
    uint64, int64, int64
        The word, and walk and step of the base behind it.
    """
    value = np.uint64(0)
    first = 32 * word
    place = first
    stop = min(first + 32, starts[steps.size] + overlap * (walk_offsets.size - 1))
    while place < stop:
        item = np.int64(steps[step]) >> 1
        is_reverse = np.int64(steps[step]) & 1 == 1
        within = place - starts[step] - overlap * walk
        is_last = step + 1 == walk_offsets[walk + 1]
        end = starts[step + 1] + overlap * (walk + 1 if is_last else walk)
        n = min(end, stop) - place
        if n > 0:  # a sequence as long as the overlap may add nothing
            found = strand_bases(bases, offsets[item], offsets[item + 1], within, is_reverse) & leading_mask(n)
            value |= found >> np.uint64(2 * (place - first))
            place += n
        if place == end:
            step += 1
            if is_last:
                walk += 1
    return value, walk, step
