"""Colour unitigs along their walks through the k-mer graph, whose vertices are the k-mers of the index."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.assembly.contigs import Spelled
from debruijn_gpu.colors.index import ColorIndex
from debruijn_gpu.colors.unitigs import ColoredUnitigs, blocks_of_kmers, runs_of_colors, text_kmers
from debruijn_gpu.graph.graph import Walks
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.parallel import ordered_map
from debruijn_gpu.run.plain_text import counted
from debruijn_gpu.run.resources import memory_left
from debruijn_gpu.run.room import make_room
from debruijn_gpu.run.tuning import tuning

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend


def color_walks(
    spelled: Spelled, walks: Walks, index: ColorIndex, run: RunOptions, backend: AssemblyBackend
) -> ColoredUnitigs:
    """Gather the colour sets of the k-mers of unitigs, which `color_unitigs` looks up.

    Parameters
    ----------
    spelled : Spelled
        Unitigs of all k-mers of the index.
    walks : Walks
        Walk of each unitig: vertex ``2 * i`` is k-mer i of the index, ``2 * i + 1`` its reverse complement. Cycles come
        last.
    index : ColorIndex
    run : RunOptions
    backend : AssemblyBackend
    """
    walks = walks.moved(backend.to_host)
    offsets, steps, n_paths = walks.offsets, walks.steps, len(walks) - int(np.count_nonzero(walks.circular))
    n_bytes = (8 * words_per_kmer(index.k) + 4) * len(steps)
    make_room(n_bytes, f"the colours of {counted(len(steps), 'k-mer')}", lambda: memory_left(run.memory))
    with log.stage("colour unitigs", len(steps), "k-mers"):
        codes, marks = index.colored.read(0, 1 << (2 * index.k))
        cycles_from = int(offsets[n_paths])
        of_cycles = _marks_of_cycles(spelled, n_paths, codes, marks, steps[cycles_from:] >> 1, backend)

        def runs(block: tuple[int, int]) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.int64]]:
            start, stop = (int(offsets[i]) for i in block)
            along = marks[steps[start:stop] >> 1]
            if stop > cycles_from:
                first = max(start, cycles_from)
                along[first - start :] = of_cycles[first - cycles_from : stop - cycles_from]
            return runs_of_colors(along, offsets[block[0] : block[1] + 1] - start)

        blocks = list(blocks_of_kmers(offsets, tuning().colored_kmers)) or [(0, 0)]
        found = list(ordered_map(runs, blocks, run.n_threads))
        flips = spelled.flips & ~walks.circular  # k-mers of cycles are in order
        return _in_order(spelled, flips, *(np.concatenate(arrays) for arrays in zip(*found, strict=True)))


def _marks_of_cycles(
    spelled: Spelled,
    n_paths: int,
    codes: NDArray[np.uint64],
    marks: NDArray[np.uint32],
    rows: NDArray[np.integer],
    backend: AssemblyBackend,
) -> NDArray[np.uint32]:
    """Look up 1 + the colour sets along circular unitigs, which may be spelled from any of their k-mers (rows) on."""
    if not len(rows):
        return np.zeros(0, np.uint32)
    contigs, rows = spelled.contigs, np.sort(rows)
    offsets, text = map(backend.to_device, (contigs.offsets, contigs.text))
    cycles = backend.arrays.gather_rows(offsets, text, backend.to_device(spelled.rank[n_paths:]))
    offsets, text = map(backend.to_host, cycles)
    wanted = text_kmers(offsets, text, contigs.k, backend)
    codes, marks = map(backend.to_device, (codes[:, rows], marks[rows]))
    found: NDArray[np.uint32] = backend.to_host(backend.kmers.look_up_counts(codes, marks, contigs.k, wanted))
    return found


def _in_order(
    spelled: Spelled,
    flips: NDArray[np.bool_],
    n_runs: NDArray[np.int64],
    colors: NDArray[np.uint32],
    lengths: NDArray[np.int64],
) -> ColoredUnitigs:
    """Order the runs of walks as contigs are, reversed where these are reverse complements."""
    order = np.empty(len(spelled.rank), np.int64)
    order[spelled.rank] = np.arange(len(order))
    sizes, is_reversed = n_runs[order], flips[order]
    ends = np.cumsum(n_runs)[order]
    run_ptr = np.concatenate(([0], np.cumsum(sizes)))
    sources = np.repeat(np.where(is_reversed, ends - 1 + run_ptr[:-1], ends - sizes - run_ptr[:-1]), sizes)
    within = np.arange(len(colors))
    sources += np.where(np.repeat(is_reversed, sizes), -within, within)
    return ColoredUnitigs(spelled.contigs, run_ptr, colors[sources], lengths[sources])
