"""Data of the page of `dbg draw` that shows segments of GFA as strokes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.drawing.options import MAX_PAGE_VERTICES, DrawOptions
from debruijn_gpu.drawing.picture_edges import within
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.names import OrientedNames
from debruijn_gpu.io.gfa.contigs import NamedContigs
from debruijn_gpu.reports.graph_page import unitig_data
from debruijn_gpu.run.plain_text import one_line


def is_plain_assembly(graph: Graph, options: DrawOptions) -> bool:
    """Return whether a page shows segments as strokes: of GFA, without options on vertices or edges."""
    shown = DrawOptions(around=options.around, radius=options.radius, max_vertices=options.max_vertices)
    return isinstance(graph.names, OrientedNames) and options == shown


def segment_data(segments: NamedContigs, graph: Graph, center: int | None, options: DrawOptions) -> dict[str, Any]:
    """Collect the data of a page of an assembly graph: see `unitig_data`.

    Parameters
    ----------
    segments : NamedContigs
        In the order of the file.
    graph : Graph
        The same, read as a graph of both directions of each.
    center : int or None
        Vertex of the graph around which is to be drawn, or None for all.
    options : DrawOptions
        How far around, and how many segments at most.
    """
    contigs, names = segments.contigs, segments.names
    depths, lengths = segments.depths, segments.lengths
    if center is not None:
        is_near = within(graph, center, options.chosen_radius)
        chosen = np.flatnonzero(is_near[::2] | is_near[1::2])
        contigs, names = _chosen(contigs, chosen), [names[i] for i in chosen.tolist()]
        depths, lengths = depths[chosen], lengths[chosen]
    most = options.max_vertices or MAX_PAGE_VERTICES
    data = unitig_data(contigs, [one_line(name) for name in names], most, depths, lengths)
    if center is not None:
        near = one_line(options.around or "")
        data["note"] = f"{len(names):,} of {len(segments.names):,} segments: those near {near}"
    return data


def _chosen(contigs: Contigs, chosen: NDArray[np.int64]) -> Contigs:
    """Some of the contigs, with the links among them."""
    lengths = contigs.lengths[chosen]
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
    places = np.repeat(contigs.offsets[chosen] - offsets[:-1], lengths) + np.arange(offsets[-1])
    number = np.full(len(contigs), -1, np.int64)
    number[chosen] = np.arange(len(chosen))
    links = contigs.links
    among = (number[links >> 1] >= 0).all(axis=1) if len(links) else np.zeros(0, np.bool_)
    return Contigs(
        k=contigs.k,
        text=contigs.text[places],
        offsets=offsets,
        kmer_counts=contigs.kmer_counts[chosen],
        n_kmers=contigs.n_kmers[chosen],
        circular=contigs.circular[chosen],
        links=2 * number[links[among] >> 1] + (links[among] & 1),
    )
