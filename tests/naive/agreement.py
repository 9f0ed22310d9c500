"""Placed reads beside their unitigs, the slow and obvious way. Sequences are str."""

from __future__ import annotations

from itertools import accumulate, pairwise

from debruijn_gpu.backends.unitigs import agreement_scalars as rules
from debruijn_gpu.backends.unitigs.sizes import COVER_BIN_BP, SITE_WORD_BP
from tests.naive.kmers import reverse_complement

Site = tuple[int, int]


def stretch(read: str, vertex: str, place: int) -> tuple[int, int] | None:
    """Bounds in the read of the stretch of the greatest score, the first and then the shortest of such."""
    low, high = max(0, -place), min(len(read), len(vertex) - place)
    scores = [1 if read[i] == vertex[place + i] else rules.MISMATCH_SCORE for i in range(low, high)]
    sums = [0, *accumulate(scores)]
    found = max(
        ((sums[j] - sums[i], -j, i) for i in range(len(sums)) for j in range(i + 1, len(sums))), default=(0, 0, 0)
    )
    first, last = low + found[2], low - found[1]
    return (first, last) if last - first >= rules.LEAST_AGREED else None


def compare(unitigs: list[str], read: str, placed: tuple[int, ...], margin: int) -> tuple[list[int], list[Site]]:
    """Bins that a read covers, each as often as it does, and the sites where it contradicts."""
    if placed[0] < 0:
        return [], []
    places = sorted({placed[:2], placed[2:]})
    found = [(vertex, place, stretch(read, _strand(unitigs, vertex), place)) for vertex, place in places]
    agreed = [(vertex, place, *bounds) for vertex, place, bounds in found if bounds]
    starts = [0, *accumulate(map(len, unitigs))]
    is_shifted = len(agreed) == 2 and placed[0] == placed[2] and abs(placed[1] - placed[3]) <= rules.MOST_SHIFT
    if is_shifted:
        bounds = [place + bound for _vertex, place, *both in agreed for bound in both]
        return _bins(unitigs, starts, placed[0], min(bounds), max(bounds), margin), []
    bins, sites = [], []
    for vertex, place, first, last in agreed:
        bins += _bins(unitigs, starts, vertex, place + first, place + last, margin)
        sites += _sites(unitigs, starts, read, vertex, place, first, last)
    return bins, sites


def _strand(unitigs: list[str], vertex: int) -> str:
    return reverse_complement(unitigs[vertex >> 1]) if vertex & 1 else unitigs[vertex >> 1]


def _bins(unitigs: list[str], starts: list[int], vertex: int, first: int, last: int, margin: int) -> list[int]:
    unitig, length = vertex >> 1, len(unitigs[vertex >> 1])
    first, last = max(0, first), min(length, last)
    if vertex & 1:
        first, last = length - last, length - first
    covered = range(starts[unitig] + first + margin, starts[unitig] + last - margin)
    bounds = pairwise(range(0, starts[-1] + COVER_BIN_BP, COVER_BIN_BP))
    return [i for i, (low, high) in enumerate(bounds) if low in covered and high - 1 in covered]


def _sites(
    unitigs: list[str], starts: list[int], read: str, vertex: int, place: int, first: int, last: int
) -> list[Site]:
    text = _strand(unitigs, vertex)
    low, high = max(0, -place), min(len(read), len(text) - place)
    ahead = read[last:], [i for i in range(last, high) if read[i] != text[place + i]], high - last, last
    behind = reverse_complement(read[:first]), [i for i in range(low, first) if read[i] != text[place + i]]
    found = []
    for is_right, (rest, different, n_bases, at) in ((True, ahead), (False, (*behind, first - low, first))):
        if len(different) >= rules.LEAST_DIFFERENT and n_bases >= rules.LEAST_REST:
            base = place + at
            site = starts[vertex >> 1] + (len(text) - base if vertex & 1 else base)
            word = sum("ACGT".index(base) << 2 * i for i, base in enumerate(reversed(rest[:SITE_WORD_BP])))
            found.append((2 * site + (is_right ^ (vertex & 1)), word << 32 | len(rest)))
    return found if len(found) == 1 and last - first >= rules.LEAST_CERTAIN else []
