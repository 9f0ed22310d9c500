"""Find unitigs that are taken for single-copy, but that no fragment spans where many should."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.pairs.copies import CopyNumbers
from debruijn_gpu.pairs.joins import SURE_OF_COPIES
from debruijn_gpu.pairs.links import Link, Links

Longs = NDArray[np.int64]


def doubtful_unitigs(
    chosen: Mapping[int, Link], links: Links, copies: CopyNumbers, lengths: Longs, options: PairOptions
) -> Longs:
    """Find unitigs that stand between two others by pairs of each with it, but hardly by pairs of one with the other.

    A short unitig of two copies may have few enough reads to look like one. Its neighbours of different copies then
    seem to follow each other across it; but no fragment spans it from one to the other. Each fragment that is missing
    raises the odds of two copies. As the number expected is too high where neighbours have few anchors, the odds have
    to be high.

    Parameters
    ----------
    chosen : mapping of int to Link
        See `choose_followers`; of both strands.
    links : Links
    copies : CopyNumbers
    lengths : ndarray, dtype=int64, shape=(n_vertices,)
    options : PairOptions

    Returns
    -------
    ndarray, dtype=int64
    """
    middles = [link for link in chosen.values() if not link.head & 1 and link.head in chosen]
    onward = [chosen[link.head] for link in middles]
    tails = np.array([link.tail for link in middles], np.int64)
    vertices = np.array([link.head for link in middles], np.int64)
    heads = np.array([link.head for link in onward], np.int64)
    gaps = np.array([link.gap_bp + after.gap_bp for link, after in zip(middles, onward, strict=True)], np.float64)
    expected = links.expected_across(tails, heads, gaps + lengths[vertices])
    noise = max(options.most_noise, 1e-3)  # fragments that chance gives, of those expected
    missing = (1.0 - noise) * expected + math.log(noise) * links.supports_of(tails, heads)
    unitigs = vertices >> 1
    found: Longs = unitigs[copies.odds[unitigs] + missing > SURE_OF_COPIES]
    return found
