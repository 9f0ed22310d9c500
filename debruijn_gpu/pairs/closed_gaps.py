"""Find the places of closed gaps in contigs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from debruijn_gpu.alphabet import reverse_complement
from debruijn_gpu.assembly.closed_gaps import ClosedGap
from debruijn_gpu.assembly.contigs import Contigs, Spelled
from debruijn_gpu.assembly.scaffolds import ContigPaths
from debruijn_gpu.pairs.closing import Closure


def closed_gaps(
    closures: Iterable[Closure], segments: Spelled, contigs: Contigs, paths: ContigPaths
) -> list[ClosedGap]:
    """Find the place of each closed gap, by contig and position.

    Parameters
    ----------
    closures : iterable of Closure
    segments : Spelled
        Segment of each unitig.
    contigs : Contigs
    paths : ContigPaths
        Of all contigs over the segments.
    """
    by_segment = {int(segments.rank[closure.vertex >> 1]): closure for closure in closures}
    is_filling = np.isin(paths.steps >> 1, np.fromiter(by_segment, np.int64))
    contig_of = np.repeat(np.arange(len(paths)), np.diff(paths.offsets))
    found = []
    for contig in sorted(set(contig_of[is_filling].tolist())):
        steps = paths.steps[paths.offsets[contig] : paths.offsets[contig + 1]].tolist()
        stops = stops_of_steps(contig, steps, segments.contigs, contigs)
        for stop, step in zip(stops, steps, strict=True):
            if step >> 1 in by_segment:
                found.append(_closed(by_segment[step >> 1], contig, stop, contigs))
    return sorted(found)


def from_starts(paths: ContigPaths, contigs_rotated: Iterable[int], segments: Contigs, contigs: Contigs) -> ContigPaths:
    """Let the walks of rotated contigs begin with the segment of the first base.

    Each base belongs to the last segment that holds it, as neighbours share k - 1 bases.

    Parameters
    ----------
    paths : ContigPaths
        Of all contigs over the segments.
    contigs_rotated : iterable of int
        Circular contigs.
    segments, contigs : Contigs
    """
    steps = paths.steps.copy()
    for contig in contigs_rotated:
        walk = steps[paths.offsets[contig] : paths.offsets[contig + 1]]
        if len(walk) > 1:
            stops = stops_of_steps(contig, walk.tolist(), segments, contigs)
            n_before = sum(stop <= int(contigs.lengths[contig]) for stop in stops) % len(walk)
            walk[:] = np.roll(walk, -n_before)
    return replace(paths, steps=steps)


def _closed(closure: Closure, contig: int, stop: int, contigs: Contigs) -> ClosedGap:
    """Describe a gap whose filling, of k - 1 bases of both ends beside what is between, has its last k - 1 bases from
    ``stop`` on. That is the same in both strands."""
    filling, link = closure.filling, closure.join.link
    n_bases = len(filling.sequence) - filling.overlap_bp
    start = stop - max(0, n_bases)
    if contigs.circular[contig]:
        start %= int(contigs.lengths[contig])
    numbers = link.gap_bp, link.error_bp, link.n_pairs, filling.n_reads, filling.k
    return ClosedGap(contig, start, start + abs(n_bases), filling.kind, n_bases, *numbers)


def stops_of_steps(contig: int, steps: list[int], segments: Contigs, contigs: Contigs) -> list[int]:
    """Compute where the last k - 1 bases of each step begin in a contig; a circular one is a rotation of its walk."""
    overlap = contigs.k - 1
    found = np.cumsum([int(segments.lengths[step >> 1]) - overlap for step in steps])
    if contigs.circular[contig]:
        texts = (segments.sequence(step >> 1) for step in steps)
        turned = (reverse_complement(text) if step & 1 else text for text, step in zip(texts, steps, strict=True))
        walk = b"".join(text[: len(text) - overlap] for text in turned)
        found += (2 * contigs.sequence(contig)).index(walk)
    return [int(n) for n in found]
