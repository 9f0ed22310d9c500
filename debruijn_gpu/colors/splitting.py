"""Split unitigs where the colour set changes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import packed_words
from debruijn_gpu.assembly.contigs import Contigs, spell_unitigs
from debruijn_gpu.assembly.links import reverse_complements_of, sorted_links
from debruijn_gpu.assembly.unitig_graph import PackedSequences, UnitigGraph
from debruijn_gpu.colors.color_sets import ColorSets
from debruijn_gpu.colors.unitigs import BASE_CODES, ColoredUnitigs
from debruijn_gpu.graph.graph import Graph, id_type

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend


def split_by_color(unitigs: ColoredUnitigs, sets: ColorSets, backend: AssemblyBackend) -> ColoredUnitigs:
    """Split unitigs into maximal segments of one colour set, linked where they were split.

    A circular unitig of several colour sets is opened where they change.

    Returns
    -------
    ColoredUnitigs
        With one run each, in the order of `Contigs`.
    """
    opened = _opened(unitigs)
    graph = _segment_graph(opened, sets, backend)
    spelled = spell_unitigs(graph.moved(backend.to_device), backend)
    colors = np.empty_like(opened.run_colors)
    colors[spelled.rank] = opened.run_colors
    return ColoredUnitigs(spelled.contigs, np.arange(len(colors) + 1), colors, spelled.contigs.n_kmers)


def _opened(unitigs: ColoredUnitigs) -> ColoredUnitigs:
    """Rotate circular unitigs so that their first run does not continue their last one."""
    contigs, run_ptr = unitigs.contigs, unitigs.run_ptr
    n_runs = np.diff(run_ptr)
    first, last = run_ptr[:-1], run_ptr[1:] - 1
    continues = contigs.circular & (n_runs > 1) & (unitigs.run_colors[first] == unitigs.run_colors[last])
    if not continues.any():
        return unitigs
    text, lengths = contigs.text.copy(), unitigs.run_lengths.copy()
    is_merged = np.zeros(len(lengths), np.bool_)
    for i in np.flatnonzero(continues).tolist():
        n = int(contigs.n_kmers[i])
        cycle = text[contigs.offsets[i] : contigs.offsets[i] + n]
        whole = text[contigs.offsets[i] : contigs.offsets[i + 1]]
        whole[:] = np.resize(np.roll(cycle, -int(lengths[first[i]])), len(whole))
        lengths[last[i]] += lengths[first[i]]
        is_merged[first[i]] = True
    return ColoredUnitigs(
        replace(contigs, text=text),
        run_ptr - np.concatenate(([0], np.cumsum(continues))),
        unitigs.run_colors[~is_merged],
        lengths[~is_merged],
    )


def _segment_graph(unitigs: ColoredUnitigs, sets: ColorSets, backend: AssemblyBackend) -> UnitigGraph:
    """Graph of the runs, in arrays of the host."""
    contigs, lengths = unitigs.contigs, unitigs.run_lengths
    n_runs = np.diff(unitigs.run_ptr)
    kmer_starts = np.cumsum(lengths) - lengths
    within = kmer_starts - np.repeat(kmer_starts[unitigs.run_ptr[:-1]], n_runs)
    starts = np.repeat(contigs.offsets[:-1], n_runs) + within
    bounds = np.stack([starts, starts + lengths + contigs.k - 1], axis=1).ravel()
    rows = (bounds, BASE_CODES[contigs.text], 2 * np.arange(len(lengths)))
    offsets, codes = map(backend.to_host, backend.arrays.gather_rows(*map(backend.to_device, rows)))
    return UnitigGraph(
        k=contigs.k,
        graph=_links_of_runs(unitigs),
        sequences=PackedSequences(offsets, packed_words(codes)),
        circular=np.repeat(contigs.circular & (n_runs == 1), n_runs),
        n_kmers=lengths,
        kmer_counts=lengths * sets.sizes[unitigs.run_colors],
    )


def _links_of_runs(unitigs: ColoredUnitigs) -> Graph:
    """Edges of the runs: inside unitigs, and between the ends of linked ones."""
    run_ptr, n = unitigs.run_ptr, len(unitigs.run_colors)
    is_last = np.zeros(n, np.bool_)
    is_last[run_ptr[1:] - 1] = True
    inner = np.flatnonzero(~is_last)
    closing = np.flatnonzero(unitigs.contigs.circular & (np.diff(run_ptr) > 1))
    links = np.concatenate(
        [
            np.column_stack([2 * inner, 2 * inner + 2]),
            np.column_stack([2 * (run_ptr[closing + 1] - 1), 2 * run_ptr[closing]]),
            _outer_links(unitigs.contigs.links, run_ptr),
            _own_links(unitigs.contigs, run_ptr),
        ]
    )
    both = sorted_links(np.concatenate([links, reverse_complements_of(links)]), n)
    row_ptr = np.searchsorted(both[:, 0], np.arange(2 * n + 1)).astype(np.int64)
    return Graph(row_ptr, both[:, 1].astype(id_type(2 * n)))


def _outer_links(links: NDArray[np.int64], run_ptr: NDArray[np.int64]) -> NDArray[np.int64]:
    """Translate links of unitigs to those of their first and last runs."""
    first, last = run_ptr[:-1], run_ptr[1:] - 1
    tails, heads = links[:, 0], links[:, 1]
    leaves = np.where(tails & 1, first[tails >> 1], last[tails >> 1])
    enters = np.where(heads & 1, last[heads >> 1], first[heads >> 1])
    return np.column_stack([2 * leaves + (tails & 1), 2 * enters + (heads & 1)])


def _own_links(contigs: Contigs, run_ptr: NDArray[np.int64]) -> NDArray[np.int64]:
    """Links of circular unitigs of one run to themselves, which `UnitigGraph` has as edges."""
    own = 2 * run_ptr[:-1][contigs.circular & (np.diff(run_ptr) == 1)]
    return np.column_stack([own, own])
