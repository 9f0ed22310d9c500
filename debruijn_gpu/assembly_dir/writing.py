"""Write the files of an assembly directory, their tables included."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from debruijn_gpu.assembly.break_options import BreakOptions
from debruijn_gpu.assembly.clean_options import CleanOptions
from debruijn_gpu.assembly.insert_sizes import InsertSizes
from debruijn_gpu.assembly.options import SMALLEST_ROTATION, AssembleOptions
from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.assembly.result import Assembly
from debruijn_gpu.assembly.scaffolds import Scaffolds, ScaffoldStats, scaffold_stats
from debruijn_gpu.assembly.statistics import THRESHOLDS_BP, ContigStats, stats_of_contigs
from debruijn_gpu.assembly.variant_options import VariantOptions
from debruijn_gpu.assembly_dir.breaks import breaks_tsv
from debruijn_gpu.assembly_dir.contig_table import single_copy_depth, write_contig_table
from debruijn_gpu.assembly_dir.directory import RUN, OutputDirectory
from debruijn_gpu.assembly_dir.gap_closures import gap_closures_tsv
from debruijn_gpu.assembly_dir.quality_reports import general_mqc, lengths_mqc, spectrum_mqc
from debruijn_gpu.assembly_dir.scaffold_files import write_agp, write_scaffold_fasta, write_scaffold_table
from debruijn_gpu.io.fastx.writing import write_fasta
from debruijn_gpu.io.gfa.contigs import write_gfa
from debruijn_gpu.io.gfa.variants import variants_tsv, write_variants_gfa
from debruijn_gpu.io.tables import SCHEMA_VERSION, to_json, write_histogram
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.plain_text import one_line
from debruijn_gpu.run.record import RunRecord, describe_host, describe_versions
from debruijn_gpu.version import __version__


def report_tsv(stats: Mapping[str, ContigStats]) -> bytes:
    """``report.tsv`` as QUAST writes it, a row for each figure and a column for each assembly."""
    return b"".join("\t".join(row).encode() + b"\n" for row in report_rows(stats))


def report_rows(stats: Mapping[str, ContigStats]) -> list[list[str]]:
    """Rows of the report, the names of the assemblies first."""
    header = ["Assembly", *map(one_line, stats)]
    columns = [one.rows() for one in stats.values()]
    return [header, *([rows[0][0], *(value for _name, value in rows)] for rows in zip(*columns, strict=True))]


def stats_dict(stats: ContigStats) -> dict[str, Any]:
    """Format statistics as JSON: unrounded numbers, null for missing ones, thresholds as keys."""
    values = asdict(stats)
    for name in ("n_contigs_from", "total_bp_from"):
        values[name] = {str(t): n for t, n in zip(THRESHOLDS_BP, values[name], strict=True)}
    return values


def report_json(stats: ContigStats, sections: Mapping[str, Any]) -> bytes:
    """Format ``report.json``: the schema's version, the statistics, and further results of a run.

    Parameters
    ----------
    stats : ContigStats
        Of the contigs.
    sections : mapping of str to anything JSON knows, dataclasses and NumPy numbers and arrays
        Further sections (spectrum, cleaning, choice of k), in this order.
    """
    return to_json({"schema_version": SCHEMA_VERSION, "contigs": stats_dict(stats), **sections})


def params_json(options: Mapping[str, Any]) -> bytes:
    """Format ``params.json``: version, options as given, and the values used where they were chosen.

    Parameters
    ----------
    options : mapping of str to dataclass or mapping
        Such as ``{"assemble": AssembleOptions(), "used": {"k": 31, "min_count": 3}}``. How and where to run
        (`RunOptions`, `ReadInputs`) is refused: it changes no result.
    """
    for value in options.values():
        if isinstance(value, (RunOptions, ReadInputs)):
            raise TypeError(f"{type(value).__name__} does not belong into params.json")
    return to_json({"schema_version": SCHEMA_VERSION, "program": "dbg", "version": __version__, **options})


def write_assembly(assembly: Assembly, options: AssembleOptions, directory: OutputDirectory) -> ContigStats:
    """Write all files of an assembly but the page; returns the statistics of its contigs."""
    reported = assembly.reported
    stats = stats_of_contigs(reported)
    inserts = assembly.insert_sizes
    with log.stage("write"):
        with directory.open("contigs.fasta") as stream:
            write_fasta(stream, reported, assembly.bases_per_kmer, rotated_to=assembly.rotated_to)
        with directory.open("contigs.tsv") as stream:
            has_links = options.walk == "unitigs" or assembly.paths is not None
            links = assembly.segments.links if has_links else None
            write_contig_table(stream, reported, links, assembly.bases_per_kmer, assembly.paths)
        with directory.open("assembly_graph.gfa") as stream:
            write_gfa(stream, assembly.segments, 0, assembly.n_reported, assembly.paths, assembly.scaffolds)
        if assembly.scaffolds is not None:
            _write_scaffolds(assembly.scaffolds, assembly, directory)
        if assembly.pairs is not None:
            with directory.open("gap_closures.tsv") as stream:
                stream.write(gap_closures_tsv(assembly.pairs.closed, assembly.n_reported))
            with directory.open("breaks.tsv") as stream:
                stream.write(breaks_tsv(assembly.pairs.breaks, assembly.n_reported))
        if assembly.variants is not None:
            with directory.open("variants.tsv") as stream:
                stream.write(variants_tsv(assembly.variants))
            with directory.open("variants.gfa") as stream:
                write_variants_gfa(stream, reported, assembly.variants)
        with directory.open("spectrum.hist") as stream:
            spectrum = assembly.counts.spectrum
            write_histogram(stream, spectrum.multiplicity, spectrum.frequency)
        with directory.open("report.tsv") as stream:
            stream.write(report_tsv({options.name: stats}))
        with directory.open("report.json") as stream:
            stream.write(report_json(stats, _sections(assembly, inserts, options.pairs)))
        _write_multiqc(assembly, stats, inserts, options.name, directory)
        with directory.open("params.json") as stream:
            stream.write(params_json({"assemble": _recorded(options), "used": _used(assembly)}))
    return stats


def _write_scaffolds(scaffolds: Scaffolds, assembly: Assembly, directory: OutputDirectory) -> None:
    """Write sequences, layout and table of scaffolds."""
    with directory.open("scaffolds.fasta") as stream:
        write_scaffold_fasta(stream, scaffolds, assembly.contigs, assembly.bases_per_kmer, assembly.rotated_to)
    with directory.open("scaffolds.agp") as stream:
        write_agp(stream, scaffolds, assembly.contigs)
    with directory.open("scaffolds.tsv") as stream:
        write_scaffold_table(stream, scaffolds, assembly.contigs)
    stats = scaffold_stats(scaffolds, assembly.contigs)
    said = log.report if stats.n_joined else log.logger.info
    said("%s", stats.sentence())


def _scaffold_stats(assembly: Assembly) -> ScaffoldStats | None:
    return None if assembly.scaffolds is None else scaffold_stats(assembly.scaffolds, assembly.contigs)


def _recorded(options: AssembleOptions) -> dict[str, Any]:
    """Return the options as they are written: preset, rotation, uncut joins and some thresholds only if chosen."""
    members = asdict(options)
    if options.clean is not None and not options.clean.disconnect_ratio:
        del members["clean"]["disconnect_ratio"]
    if options.clean is not None and options.clean.recurrent_ratio == CleanOptions.recurrent_ratio:
        del members["clean"]["recurrent_ratio"]
    if options.breaks:
        del members["breaks"]
    groups = {"pair_options": PairOptions, "break_options": BreakOptions, "variant_options": VariantOptions}
    for name, kind in groups.items():
        if getattr(options, name) == kind():
            del members[name]
    if options.rotate == SMALLEST_ROTATION:
        del members["rotate"]
    else:
        members["rotate"] = "genes"  # their names are among what was used: a path is no property of the result
    if options.preset == AssembleOptions.preset:
        del members["preset"]
    else:
        members["preset_values"] = options.preset_values()
    return members


def _used(assembly: Assembly) -> dict[str, Any]:
    """Collect the parameters that were used, where ``auto`` may have been asked for."""
    choice, limit = assembly.counts.choice, assembly.counts.limit
    return {
        "k": choice.k,
        "ks": choice.ks,
        "min_count": assembly.counts.min_count,
        "max_depth": limit.max_depth,
        "read_depth": limit.read_depth,
        "share_kept": limit.kept / limit.of,
        **({} if assembly.rotation is None else {"genes": assembly.rotation.genes}),
    }


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
    record.threads = run.n_threads
    record.versions, record.host = describe_versions(), describe_host()
    given = {**asdict(run), "tmp_dir": None if run.tmp_dir is None else one_line(str(run.tmp_dir))}
    record.options = {"assemble": _recorded(options), "run": given}
    with directory.open(RUN) as stream:
        stream.write(to_json(record.as_json()))


def record_results(record: RunRecord, directory: OutputDirectory) -> None:
    """Write ``run.json`` again, with the sizes of all results, when the page that shows the record is written, too."""
    record.results = directory.sizes()
    with directory.open(RUN) as stream:
        stream.write(to_json(record.as_json()))


def _depths(assembly: Assembly) -> dict[str, float | None]:
    """Compute mean depths of the reported contigs, counts per k-mer and read bases per position, and their median."""
    reported = assembly.reported
    n_kmers = int(reported.n_kmers.sum())
    if not n_kmers:
        return {"kmer_depth": None, "read_depth": None, "single_copy_kmer_depth": None}
    kmer_depth = int(reported.kmer_counts.sum()) / n_kmers
    return {
        "kmer_depth": kmer_depth,
        "read_depth": assembly.bases_per_kmer * kmer_depth,
        "single_copy_kmer_depth": single_copy_depth(reported),
    }


def _write_multiqc(
    assembly: Assembly, stats: ContigStats, inserts: list[InsertSizes], name: str, directory: OutputDirectory
) -> None:
    counts, reported = assembly.counts, assembly.contigs.first(assembly.n_reported)
    sizes = next((one.sizes for one in inserts if one.sizes is not None), None)
    insert_bp, scaffolds = None if sizes is None else sizes.median_bp, _scaffold_stats(assembly)
    with directory.open("general_mqc.json") as stream:
        stream.write(general_mqc(name, stats, int(reported.circular.sum()), counts.estimate, insert_bp, scaffolds))
    with directory.open("spectrum_mqc.json") as stream:
        stream.write(spectrum_mqc(name, counts.spectrum, counts.estimate))
    with directory.open("lengths_mqc.json") as stream:
        stream.write(lengths_mqc(name, reported.lengths))


def _variants(assembly: Assembly) -> dict[str, Any]:
    """Return the section on variants and their files, if they were asked for."""
    if assembly.variant_counts is None:
        return {}
    return {"variants": {**asdict(assembly.variant_counts), "files": ["variants.tsv", "variants.gfa"]}}


def _sections(assembly: Assembly, inserts: list[InsertSizes], may_be_paired: bool) -> dict[str, Any]:
    """Collect the part of `report.json` that is not about contigs."""
    counts, graph, scaffolds = assembly.counts, assembly.segments, _scaffold_stats(assembly)
    has_scaffolds = assembly.scaffolds is not None or assembly.paths is not None
    no_pairs = "the reads are not paired (-1 and -2, or --12)" if may_be_paired else "pairs are not used (--no-pairs)"
    return {
        "reads": {
            "n_reads": counts.lengths.n_reads,
            "n_bases": counts.lengths.n_bases,
            "longest_bp": int(counts.lengths.lengths.max()),
            "n_reads_given": counts.given.n_reads,
            "n_bases_given": counts.given.n_bases,
        },
        "trimming": None if counts.trimmed is None else asdict(counts.trimmed),
        "depth_limit": {
            "max_depth": counts.limit.max_depth,
            "read_depth": counts.limit.read_depth,
            "share_kept": counts.limit.kept / counts.limit.of,
            "why": counts.limit.why,
        },
        "k": {"k": counts.choice.k, "why": counts.choice.why},
        "rounds": [done.as_json() for done in assembly.rounds],
        "min_count": counts.min_count,
        "spectrum": {"n_distinct": counts.spectrum.n_distinct, **asdict(counts.estimate)},
        "depth": _depths(assembly),
        "evaluation": None if assembly.evaluation is None else assembly.evaluation.as_json(),
        **_variants(assembly),
        "cleaning": None if assembly.cleaned is None else asdict(assembly.cleaned),
        "insert_sizes": {
            "inputs": [asdict(one) for one in inserts],
            "why_not": None if inserts else no_pairs,
        },
        **({} if assembly.pairs is None else {"pairs": assembly.pairs.as_json()}),
        "graph": {
            "n_segments": len(graph),
            "n_links": len(graph.links),
            "n_circular": int(graph.circular.sum()),
            "total_bp": int(graph.offsets[-1]),
        },
        **({"scaffolds": None if scaffolds is None else scaffolds.as_json()} if has_scaffolds else {}),
    }
