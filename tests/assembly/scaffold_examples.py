"""Hand-made assemblies whose contigs are walks, in scaffolds with gaps."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.alphabet import reverse_complement
from debruijn_gpu.assembly.cleaning import CleanCounts
from debruijn_gpu.assembly.options import AssembleOptions
from debruijn_gpu.assembly.result import Assembly, KmerCounts
from debruijn_gpu.assembly.round_summary import Round, RoundKmers
from debruijn_gpu.assembly.scaffolds import ContigPaths, Scaffolds
from debruijn_gpu.assembly_dir.directory import OutputDirectory
from debruijn_gpu.assembly_dir.writing import write_assembly
from debruijn_gpu.kmers.choose_k import KChoice
from debruijn_gpu.kmers.depth_limit import DepthLimit
from debruijn_gpu.kmers.spectrum import Spectrum, estimate
from debruijn_gpu.reads.read_statistics import ReadLengths
from debruijn_gpu.reports.making import write_page
from debruijn_gpu.run import log
from tests.assembly.examples import contigs_of

K = 5


def segments():
    """Six segments at k 5: 1 and 2 enter the repeat 4, which 3 and 5 leave; 6 is circular."""
    sequences = [
        b"TTACAGGATCCATGCCAGT",
        b"GGCATTGACCAGACCAGT",
        b"GACCTTACCGATAGG",
        b"CAGTTGACC",
        b"GACCCCC",
        b"AACCTG",
    ]
    links = [(0, 6), (2, 6), (5, 7), (6, 8)]
    return contigs_of(sequences, K, [150, 140, 100, 100, 30, 600], circular=[5], links=links)


def paths_of(*walks):
    """Walks of contigs, such as ``"1+ 4+ 3+"``, with segments numbered from 1."""
    steps = [[2 * (int(word[:-1]) - 1) + (word[-1] == "-") for word in walk.split()] for walk in walks]
    return ContigPaths(
        np.cumsum([0, *map(len, steps)], dtype=np.int64), np.array([step for walk in steps for step in walk], np.int64)
    )


def scaffolds_of(*rows):
    """Scaffolds, such as ``"1+ 2-"``, with gaps and numbers of pairs behind all contigs but the last."""
    steps = [
        [2 * (int(word[:-1]) - 1) + (word[-1] == "-") for word in (row if isinstance(row, str) else row[0]).split()]
        for row in rows
    ]
    gaps, n_pairs = [], []
    for row in rows:
        given = () if isinstance(row, str) else row[1:]
        gaps += [*(gap for gap, _n in given), 0]
        n_pairs += [*(n for _gap, n in given), 0]
    flat = [step for some in steps for step in some]
    offsets = np.cumsum([0, *map(len, steps)], dtype=np.int64)
    return Scaffolds(offsets, *(np.array(values, np.int64) for values in (flat, gaps, n_pairs)))


def walked(graph, walks):
    """Spell walks over segments, circular ones as they are, as contigs without links."""
    sequences, circular = [], []
    for i, (start, stop) in enumerate(zip(walks.offsets, walks.offsets[1:], strict=False)):
        sequence = b""
        for step in walks.steps[start:stop].tolist():
            part = graph.sequence(step >> 1)
            part = reverse_complement(part) if step & 1 else part
            assert not sequence or sequence[-(graph.k - 1) :] == part[: graph.k - 1]
            sequence += part[graph.k - 1 :] if sequence else part
        sequences.append(sequence)
        if graph.circular[walks.steps[start] >> 1]:
            circular.append(i)
    return contigs_of(sequences, graph.k, [7 * len(sequence) for sequence in sequences], circular)


def resolved():
    """Graph, walks, contigs and scaffolds: a repeat resolved by two walks, gaps of all kinds, a circular contig."""
    graph = segments()
    walks = paths_of("1+ 4+ 3+", "2+ 4+ 5+", "3-", "4-", "5+", "6+")
    scaffolds = scaffolds_of(("1+ 2- 4+", (-7, 12), (300, 3)), ("3+ 5-", (4, 1)), "6+")
    return graph, walks, walked(graph, walks), scaffolds


def assembly_of(graph, walks, contigs, scaffolds, n_reported=None):
    """Assembly of given contigs, and choices of no reads in particular."""
    lengths = ReadLengths.of([100, 100])
    spectrum = Spectrum(graph.k, np.array([1, 2, 9, 10, 11]), np.array([50, 5, 20, 30, 20]))
    limit = DepthLimit(0, None, 1, 1, "no limit")
    choice = KChoice((graph.k,), "as asked for")
    counts = KmerCounts(2, choice, spectrum, estimate(spectrum), lengths, lengths, limit)
    rounds = [
        Round(graph.k, 600, 500, RoundKmers(70, 500), CleanCounts(), None, len(graph), 18, int(graph.offsets[-1]))
    ]
    n_reported = len(contigs) if n_reported is None else n_reported
    return Assembly(contigs, n_reported, counts, rounds, 100, scaffolds=scaffolds, graph=graph, paths=walks)


def write_resolved(place, *parts, n_reported=None):
    """Write the directory of `resolved`, or of other parts, with its page."""
    log.configure(-2)
    with OutputDirectory(place) as directory:
        assembly = assembly_of(*(parts or resolved()), n_reported=n_reported)
        write_assembly(assembly, AssembleOptions(ks=(assembly.contigs.k,)), directory)
        write_page(assembly, directory)
    return place
