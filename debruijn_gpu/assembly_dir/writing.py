"""Files of an assembly. Same input, same bytes: only the log, ``run.json`` and the section of the page on the run hold
times and paths."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.assembly.insert_sizes import InsertSizes, insert_sizes
from debruijn_gpu.assembly.options import AssembleOptions
from debruijn_gpu.assembly.result import Assembly
from debruijn_gpu.assembly.statistics import ContigStats, stats_of_contigs
from debruijn_gpu.assembly_dir.directory import RUN, OutputDirectory
from debruijn_gpu.assembly_dir.multiqc import general_mqc, lengths_mqc, spectrum_mqc
from debruijn_gpu.assembly_dir.tables import params_json, report_json, report_tsv
from debruijn_gpu.io.fastx.contigs import write_fasta
from debruijn_gpu.io.gfa.contigs import write_gfa
from debruijn_gpu.io.tables import to_json, write_histogram
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.plain_text import one_line
from debruijn_gpu.run.record import RunRecord, describe_host, describe_versions
from debruijn_gpu.run.resources import allowed_cpus


def write_assembly(assembly: Assembly, options: AssembleOptions, directory: OutputDirectory) -> ContigStats:
    """Write all files of an assembly but the page; returns the statistics of its contigs."""
    reported = assembly.contigs.first(assembly.n_reported)
    stats = stats_of_contigs(reported)
    inserts = _insert_sizes(assembly, reported)
    with log.stage("write"):
        with directory.open("contigs.fasta") as stream:
            write_fasta(stream, reported, assembly.bases_per_kmer)
        with directory.open("assembly_graph.gfa") as stream:
            write_gfa(stream, assembly.contigs, circular_overlap_bp=0, n_paths=assembly.n_reported)
        with directory.open("spectrum.hist") as stream:
            spectrum = assembly.counts.spectrum
            write_histogram(stream, spectrum.multiplicity, spectrum.frequency)
        with directory.open("report.tsv") as stream:
            stream.write(report_tsv({options.name: stats}))
        with directory.open("report.json") as stream:
            stream.write(report_json(stats, _sections(assembly, inserts)))
        _write_multiqc(assembly, stats, inserts, options.name, directory)
        with directory.open("params.json") as stream:
            stream.write(params_json({"assemble": options, "used": _used(assembly)}))
    return stats


def _used(assembly: Assembly) -> dict[str, int]:
    """Collect the parameters that were used, where ``auto`` may have been asked for."""
    return {"k": assembly.counts.choice.k, "min_count": assembly.counts.min_count}


def write_record(record: RunRecord, options: AssembleOptions, run: RunOptions, directory: OutputDirectory) -> None:
    """Write ``run.json``: the record of the run up to now, with its options.

    Parameters
    ----------
    record : RunRecord
        Of `log.log_end`.
    options : AssembleOptions
    run : RunOptions
    directory : OutputDirectory
    """
    record.threads = run.threads or allowed_cpus()
    record.versions, record.host = describe_versions(), describe_host()
    given = {**asdict(run), "tmp_dir": None if run.tmp_dir is None else one_line(str(run.tmp_dir))}
    record.options = {"assemble": asdict(options), "run": given}
    with directory.open(RUN) as stream:
        stream.write(to_json(record.as_json()))


def _depths(assembly: Assembly) -> dict[str, float | None]:
    """Compute mean depths of the reported contigs: counts per k-mer, and read bases per position."""
    reported = assembly.contigs.first(assembly.n_reported)
    n_kmers = int(reported.n_kmers.sum())
    if not n_kmers:
        return {"kmer_depth": None, "read_depth": None}
    kmer_depth = int(reported.kmer_counts.sum()) / n_kmers
    return {"kmer_depth": kmer_depth, "read_depth": assembly.bases_per_kmer * kmer_depth}


def _insert_sizes(assembly: Assembly, reported: Contigs) -> list[InsertSizes]:
    pairs = assembly.counts.pairs
    if not pairs:
        return []
    with log.stage("insert sizes") as stage:
        inserts = insert_sizes(reported, pairs)
        stage.items, stage.unit = sum(one.n_placed for one in inserts), "pairs placed"
    return inserts


def _write_multiqc(
    assembly: Assembly, stats: ContigStats, inserts: list[InsertSizes], name: str, directory: OutputDirectory
) -> None:
    counts, reported = assembly.counts, assembly.contigs.first(assembly.n_reported)
    sizes = next((one.sizes for one in inserts if one.sizes is not None), None)
    insert_bp = None if sizes is None else sizes.median_bp
    with directory.open("general_mqc.json") as stream:
        stream.write(general_mqc(name, stats, int(reported.circular.sum()), counts.estimate, insert_bp))
    with directory.open("spectrum_mqc.json") as stream:
        stream.write(spectrum_mqc(name, counts.spectrum, counts.estimate))
    with directory.open("lengths_mqc.json") as stream:
        stream.write(lengths_mqc(name, reported.lengths))


def _sections(assembly: Assembly, inserts: list[InsertSizes]) -> dict[str, Any]:
    """Collect the part of `report.json` that is not about contigs."""
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
        "depth": _depths(assembly),
        "cleaning": None if assembly.cleaned is None else asdict(assembly.cleaned),
        "insert_sizes": {
            "inputs": [asdict(one) for one in inserts],
            "why_not": None if inserts else "the reads are not paired (-1 and -2, or --12)",
        },
        "graph": {
            "n_segments": len(graph),
            "n_links": len(graph.links),
            "n_circular": int(graph.circular.sum()),
            "total_bp": int(graph.offsets[-1]),
        },
    }
