"""Graphs of genomes with planted wrong joins, and the places of pairs of the true genome on them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.alphabet import packed_codes
from debruijn_gpu.assembly.break_options import BreakOptions
from debruijn_gpu.assembly.round_graphs import compact
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.io.fastx.reads import read_batches
from debruijn_gpu.pairs.breaks import Break, find_breaks
from debruijn_gpu.pairs.fragments import Fragments, fragments_of
from debruijn_gpu.pairs.library import Library, library_of
from debruijn_gpu.pairs.placed_reads import PlacedReads
from debruijn_gpu.pairs.placement import place_reads
from debruijn_gpu.pairs.within import Coordinates
from debruijn_gpu.pipeline import counted_reads
from debruijn_gpu.reads.options import ReadInputs
from tests.naive.kmers import reverse_complement
from tests.pairs.examples import RUN, Pair, paired

BACKEND = backends.host()


def graph_of(sequences: Sequence[str], place: Path, k: int = 77) -> UnitigGraph:
    """The compacted graph of sequences."""
    path = place / "graph.fasta"
    path.write_text("".join(f">{i}\n{sequence}\n" for i, sequence in enumerate(sequences)))
    with counted_reads(ReadInputs(single=(str(path),)), (k,), 1, RUN, BACKEND) as (table, _reads, _counts):
        return compact(table, RUN, BACKEND)


def texts_of(graph: UnitigGraph) -> list[str]:
    """Sequences of unitigs."""
    bounds = graph.sequences.offsets.tolist()
    codes = packed_codes(graph.sequences.bases, 0, bounds[-1])
    text = np.frombuffer(b"ACGT", np.uint8)[codes].tobytes().decode()
    return [text[start:stop] for start, stop in pairwise(bounds)]


def placed_on(graph: UnitigGraph, place: Path, *libraries: list[Pair]) -> PlacedReads:
    reads = list(read_batches(paired(place, *libraries), BACKEND, threads=2, memory=RUN.memory))
    return place_reads(graph, reads, len(libraries), RUN, BACKEND)


def fragments_on(graph: UnitigGraph, placed: PlacedReads) -> tuple[list[tuple[Library, Fragments]], Coordinates]:
    """Fragments of all libraries on the unitigs of a graph."""
    at = Coordinates(np.diff(graph.sequences.offsets), np.where(graph.circular, graph.n_kmers, 0))
    found = [library_of(number, one.inserts) for number, one in enumerate(placed.libraries)]
    return [(one, fragments_of(placed.libraries[one.number], one, at)) for one in found if one is not None], at


def breaks_of(graph: UnitigGraph, place: Path, *libraries: list[Pair]) -> list[Break]:
    return find_breaks(*fragments_on(graph, placed_on(graph, place, *libraries)), BreakOptions())


def places_of(breaks: Sequence[Break], graph: UnitigGraph, sequence: str) -> list[tuple[int, int]]:
    """Intervals of breaks on the sequence that the graph was made from, ascending."""
    texts, found = texts_of(graph), []
    for one in breaks:
        text = texts[one.sequence]
        if (start := sequence.find(text)) >= 0:
            found.append((start + one.start, start + one.stop))
        else:
            start = sequence.index(reverse_complement(text))
            found.append((start + len(text) - one.stop, start + len(text) - one.start))
    return sorted(found)


def genome_with_repeats(length: int, gc_percent: int, seed: int) -> str:
    """Random bases with repeats of two to five copies, some diverged, some inverted."""
    chance = random.Random(seed)
    weights = [100 - gc_percent, gc_percent, gc_percent, 100 - gc_percent]
    genome = "".join(chance.choices("ACGT", weights, k=length))
    for _ in range(length // 10_000):
        size = chance.choice([100, 200, 400, 800])
        repeat = "".join(chance.choices("ACGT", weights, k=size))
        for _ in range(chance.choice([2, 3, 5])):
            rate = chance.choice([0.0, 0.02])
            copy = "".join(chance.choice("ACGT") if chance.random() < rate else base for base in repeat)
            copy = reverse_complement(copy) if chance.random() < 0.5 else copy
            place = chance.randrange(length - size)
            genome = genome[:place] + copy + genome[place + size :]
    return genome
