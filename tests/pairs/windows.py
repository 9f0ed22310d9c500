"""Depths of windows that are given, for tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from debruijn_gpu.alphabet import packed_words
from debruijn_gpu.assembly.unitig_graph import PackedSequences
from debruijn_gpu.pairs.window_depths import WindowDepths


def sequences_of(gcs: Sequence[float], lengths: Sequence[int], seed: int = 1) -> PackedSequences:
    """Random sequences with a share of G and C each."""
    rng = np.random.default_rng(seed)
    codes = [
        np.where(np.arange(n) < round(gc * n), rng.integers(1, 3, n), 3 * rng.integers(0, 2, n)).astype(np.uint8)
        for gc, n in zip(gcs, lengths, strict=True)
    ]
    codes = [rng.permutation(one) for one in codes]
    return PackedSequences(np.append(0, np.cumsum(lengths)), packed_words(np.concatenate(codes)))


def even_windows(n_unitigs: int, spread: float = 0.0, gc: float = 0.5, depth: float = 1.0, own_gc: float = 0.5):
    """Windows of typical depth, and others of a GC and a depth; the unitigs have a GC of their own.

    Half of each are above the median and half below by so much that their standard deviation is ``spread``.
    """
    signs = np.tile([-1.0, 1.0], 50)
    off = spread / 1.4826 * signs
    gcs = np.append(np.full(100, 0.5), np.full(100, gc) if depth != 1.0 else np.empty(0))
    depths = np.append(1.0 + off, depth + off if depth != 1.0 else np.empty(0))
    return WindowDepths(sequences_of([own_gc] * n_unitigs, [1000] * n_unitigs), gcs, depths, 0.0)
