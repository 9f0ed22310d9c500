"""`dbg assemble`: assemble reads into contigs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from debruijn_gpu.assembly.cluster_options import ClusterOptions
from debruijn_gpu.assembly.options import (
    SMALLEST_ROTATION,
    TRIMS,
    WALKS,
    AssembleOptions,
    parse_k_list,
    parse_max_depth,
)
from debruijn_gpu.assembly_dir.directory import FAILED_LOG, RESULTS
from debruijn_gpu.cli.assembling import Target, assemble_to_directory, assemble_to_stdout
from debruijn_gpu.cli.cluster_options import cluster_options, take_cluster_options
from debruijn_gpu.cli.common import (
    configure_log,
    dask_option,
    format_option,
    gpus_option,
    graph_options,
    read_inputs,
    run_options,
    take_read_inputs,
    take_run_options,
    verbosity,
)
from debruijn_gpu.cli.expert_options import (
    PresetCommand,
    check_used,
    expert_options,
    preset_option,
    take_thresholds,
)
from debruijn_gpu.cli.groups import excludes, needs, option_rules
from debruijn_gpu.cli.option_types import COUNT, SingleOption
from debruijn_gpu.cli.paths import InputFile, OutputDir
from debruijn_gpu.errors import FileAccessError, UsageError
from debruijn_gpu.kmers.options import parse_min_count
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run.file_formats import choose_format, ending_of
from debruijn_gpu.run.memory_watch import memory_watched
from debruijn_gpu.run.options import RunOptions

ESTIMATE_FORMATS = ("text", "json")

#: Modules that the work needs and the help page does not; see `LazyGroup.resolve_command`
IMPORTED_UNLESS_HELP = ("debruijn_gpu.pipeline", "debruijn_gpu.reports.making")


@click.command("assemble", cls=PresetCommand)
@read_inputs
@click.option(
    "-o",
    "--outdir",
    cls=SingleOption,
    type=OutputDir(members=(*RESULTS, FAILED_LOG), path_type=Path),
    metavar="DIR",
    help="Directory for contigs, graph and reports (default or -: write contigs to standard output).",
)
@preset_option
@click.option(
    "-k",
    "k_list",
    cls=SingleOption,
    remedy="give all k at once, as in -k 21,31",
    default="auto",
    show_default=True,
    metavar="auto|K|K,K,...",
    help="k-mer length, odd, 3 to 255. With several, one round for each: a small k keeps thin places, a large one "
    "resolves repeats.",
)
@graph_options
@click.option(
    "--max-depth",
    default="auto",
    show_default=True,
    metavar="auto|N",
    help="Maximum read depth: deeper reads are subsampled, in pairs; those of rare parts are kept. Uneven coverage: at "
    "least 2000. auto: 150 with -k auto or several k, or more for 25 million bases, else off; 0: off.",
)
@click.option(
    "--trim",
    default=AssembleOptions.trim,
    show_default=True,
    metavar="|".join(TRIMS),
    help="Cut adapters and poly-G tails off reads. auto: where the reads show that they have them; pairs: adapters "
    "only where overlaps of mates show them, as amplicons have frequent sequences of their own.",
)
@click.option(
    "--min-contig",
    "min_contig_bp",
    type=COUNT,
    default=AssembleOptions.min_contig_bp,
    show_default=True,
    metavar="BP",
    help="Minimum length of a reported contig.",
)
@click.option(
    "--walk",
    default=AssembleOptions.walk,
    show_default=True,
    metavar="|".join(WALKS),
    help="Type of walk that becomes a contig. With euler, pairs are measured, but resolve no repeats.",
)
@click.option(
    "--no-pairs",
    "pairs",
    is_flag=True,
    flag_value=False,
    default=True,
    help="Take mates as single reads: these resolve the repeats that they span, and make no scaffolds.",
)
@click.option(
    "--no-break",
    "breaks",
    is_flag=True,
    flag_value=False,
    default=True,
    help="Do not cut where mates or reads prove a join wrong; breaks.tsv lists such places all the same.",
)
@click.option(
    "--rotate",
    default=AssembleOptions.rotate,
    type=InputFile(is_path=lambda text: text != SMALLEST_ROTATION),
    show_default=True,
    metavar=f"{SMALLEST_ROTATION}|FASTA",
    help="Start of circular contigs: their smallest rotation, or the first of these genes (nucleotides, such as dnaA) "
    "with 95 % of its length and 90 % identity in the contig.",
)
@click.option(
    "--keep-variants",
    is_flag=True,
    help="Report popped bubbles that are no sequencing errors: variants.tsv and variants.gfa.",
)
@click.option(
    "--name",
    default=AssembleOptions.name,
    show_default=True,
    metavar="NAME",
    help="Name of the assembly in reports and comparison tables.",
)
@click.option(
    "--estimate",
    is_flag=True,
    help="Estimate memory, disk space and time from the first reads of each file; do nothing else.",
)
@format_option(ESTIMATE_FORMATS, "text", "estimate_format", text="Format of --estimate.  [default: text]")
@click.option("-f", "--force", is_flag=True, help="Replace the results of an earlier run in DIR.")
@click.option(
    "--continue",
    "continues",
    is_flag=True,
    help="Resume an interrupted run in DIR from its checkpoints. Inputs and options must be the same; threads, memory, "
    "backend and temporary directory may differ.",
)
@click.option(
    "--checkpoint",
    "saves_all",
    is_flag=True,
    help="Save a checkpoint in DIR after every stage, not only after those that took 20 s.",
)
@run_options
@gpus_option
@dask_option
@verbosity
@expert_options
@cluster_options
@option_rules(
    *(excludes(name, "--estimate") for name in ("--dask", "--continue")),
    *(needs(name, "--outdir") for name in ("--force", "--continue", "--checkpoint", "--name", "--keep-variants")),
    needs("--format", "--estimate"),
    excludes("--no-break", "--walk euler"),
)
def command(outdir: Path | None, k_list: str, min_count: str, max_depth: str, dask: str | None, **options: Any) -> None:
    """Assemble READS (FASTA, FASTQ or plain sequences, compressed or not) into contigs.

    Without READS, or for -, standard input is read. Two files of READS whose names differ in a 1 and a 2 that stand for
    mates, as in reads_R1.fq and reads_R2.fq, and whose first reads have one name are taken as -1 and -2.
    """
    configure_log(options)
    estimate, estimate_format = (
        options.pop("estimate"),
        choose_format(None, ESTIMATE_FORMATS, "text", options.pop("estimate_format"), "--format"),
    )
    if outdir is not None:
        _check_directory(outdir)
    inputs, run = take_read_inputs(options, finds_mates=options["pairs"]), take_run_options(options)
    cluster = take_cluster_options(options)
    target = {name: options.pop(name) for name in ("force", "continues", "saves_all")}
    chosen = AssembleOptions(
        ks=parse_k_list(k_list),
        min_count=parse_min_count(min_count),
        max_depth=parse_max_depth(max_depth),
        **take_thresholds(options),
        **options,
    )
    check_used(chosen, inputs.n_paired)
    with memory_watched(run.memory):
        if estimate:
            _estimate(inputs, chosen, run, estimate_format, cluster)
        elif outdir is None:
            assemble_to_stdout(inputs, chosen, run, dask)
        else:
            assemble_to_directory(inputs, chosen, run, Target(outdir, **target), dask)


def _estimate(
    inputs: ReadInputs,
    options: AssembleOptions,
    run: RunOptions,
    file_format: str,
    cluster: ClusterOptions | None,
) -> None:
    from debruijn_gpu.cli.estimating import print_estimate

    print_estimate(inputs, options, run, file_format, cluster)


def _check_directory(outdir: Path) -> None:
    """Raise UsageError if a path looks like that of a file and is no directory, and FileAccessError if it is a file."""
    if outdir.is_dir():
        return
    if ending := ending_of(str(outdir)):
        raise UsageError(
            f"-o {outdir}: {ending} is the ending of a file, and -o names a directory",
            "give a directory, or leave -o out: then contigs go to standard output (dbg assemble ... > contigs.fasta)",
        )
    if outdir.exists():
        raise FileAccessError(f"{outdir}: Not a directory", "choose another place to write")
