"""Find the places in contigs that too few fragments span."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from debruijn_gpu.assembly.breaks import ContigBreak
from debruijn_gpu.assembly.contigs import Contigs, Spelled
from debruijn_gpu.assembly.scaffolds import ContigPaths
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.pairs.closed_gaps import stops_of_steps
from debruijn_gpu.pairs.closing import codes_of_vertex
from debruijn_gpu.pairs.wrong_joins import Suspect

_BASES = np.frombuffer(b"ACGT", np.uint8)


def contig_breaks(
    suspects: Iterable[Suspect], graph: UnitigGraph, segments: Spelled, contigs: Contigs, paths: ContigPaths
) -> list[ContigBreak]:
    """Find the place of each suspect, by contig and position.

    Parameters
    ----------
    suspects : iterable of Suspect
    graph : UnitigGraph
        In NumPy arrays.
    segments : Spelled
        Segment of each unitig.
    contigs : Contigs
    paths : ContigPaths
        Of all contigs over the segments.
    """
    found = []
    contig_of = np.repeat(np.arange(len(paths)), np.diff(paths.offsets))
    for suspect in suspects:
        for unitig, first, last in suspect.places:
            segment = int(segments.rank[unitig])
            start, stop = _on_segment(unitig, first, last, graph, segments)
            for row in np.flatnonzero(paths.steps >> 1 == segment).tolist():
                contig = int(contig_of[row])
                place = _in_contig(
                    contig, row - int(paths.offsets[contig]), start, stop, segments.contigs, contigs, paths
                )
                found.append(_described(suspect, contig, *place))
    return sorted(set(found))


def _described(suspect: Suspect, contig: int, start: int, stop: int) -> ContigBreak:
    one = suspect.found
    reason = "reads_differ" if one.is_of_reads else "contradicted" if one.is_wrong else "not_spanned"
    numbers = one.n_spanning, one.expected, one.n_contradicting
    return ContigBreak(contig, start, stop, suspect.kind, *numbers, suspect.is_cut, reason)


def _on_segment(unitig: int, start: int, stop: int, graph: UnitigGraph, segments: Spelled) -> tuple[int, int]:
    """Translate an interval of a unitig to its segment: maybe its reverse complement, a circular one is a rotation."""
    length = int(graph.sequences.offsets[unitig + 1] - graph.sequences.offsets[unitig])
    start, stop = min(start, length), min(stop, length)  # closing gaps trims ends
    if segments.flips[unitig]:
        start, stop = length - stop, length - start
    if graph.circular[unitig]:
        segment = segments.contigs.sequence(int(segments.rank[unitig]))
        text = _BASES[codes_of_vertex(graph, 2 * unitig + int(segments.flips[unitig]))].tobytes()[: len(segment)]
        turn = (2 * segment).index(text)
        start, stop = (start + turn) % len(segment), (start + turn) % len(segment) + stop - start
    return start, stop


def _in_contig(
    contig: int, step: int, start: int, stop: int, segments: Contigs, contigs: Contigs, paths: ContigPaths
) -> tuple[int, int]:
    """Translate an interval of a segment to the contig that has it in a step."""
    steps = paths.steps[paths.offsets[contig] : paths.offsets[contig + 1]].tolist()
    length = int(segments.lengths[steps[step] >> 1])
    first = stops_of_steps(contig, steps, segments, contigs)[step] - (length - contigs.k + 1)
    if steps[step] & 1:
        start, stop = length - stop, length - start
    begin = first + start
    if contigs.circular[contig]:
        begin %= int(contigs.lengths[contig])
    return begin, begin + stop - start
