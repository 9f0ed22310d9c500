"""The files of an assembly. They hold no times, paths or host names: same input, same bytes."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from debruijn_gpu import log
from debruijn_gpu.contigs.stats import ContigStats, stats_of_contigs
from debruijn_gpu.io.gfa import write_gfa
from debruijn_gpu.io.outdir import OutputDirectory
from debruijn_gpu.io.sequences import write_fasta
from debruijn_gpu.io.tables import params_json, report_json, report_tsv, write_histogram
from debruijn_gpu.options import AssembleOptions
from debruijn_gpu.pipeline import Assembly


def write_assembly(assembly: Assembly, options: AssembleOptions, directory: OutputDirectory) -> ContigStats:
    """Write all files of an assembly; returns the statistics of its contigs."""
    reported = assembly.contigs.first(assembly.n_reported)
    stats = stats_of_contigs(reported)
    with log.stage("write"):
        with directory.open("contigs.fasta") as stream:
            write_fasta(stream, reported)
        with directory.open("assembly_graph.gfa") as stream:
            write_gfa(stream, assembly.contigs, circular_overlap_bp=0, n_paths=assembly.n_reported)
        with directory.open("spectrum.hist") as stream:
            spectrum = assembly.counts.spectrum
            write_histogram(stream, spectrum.multiplicities, spectrum.numbers)
        with directory.open("report.tsv") as stream:
            stream.write(report_tsv({"contigs": stats}))
        with directory.open("report.json") as stream:
            stream.write(report_json(stats, _sections(assembly)))
        with directory.open("params.json") as stream:
            stream.write(params_json({"assemble": options}))
    return stats


def _sections(assembly: Assembly) -> dict[str, Any]:
    """What `report.json` tells beside the contigs."""
    counts, graph = assembly.counts, assembly.contigs
    return {
        "reads": {
            "n_reads": counts.lengths.n_reads,
            "n_bases": counts.lengths.n_bases,
            "longest_bp": int(counts.lengths.lengths.max()),
        },
        "k": {"k": counts.choice.k, "why": counts.choice.why},
        "min_count": counts.min_count,
        "spectrum": {"n_distinct": counts.spectrum.n_distinct, **asdict(counts.estimate)},
        "cleaning": None if assembly.cleaned is None else asdict(assembly.cleaned),
        "graph": {
            "n_segments": len(graph),
            "n_links": len(graph.links),
            "n_circular": int(graph.circular.sum()),
            "total_bp": int(graph.offsets[-1]),
        },
    }
