"""`dbg simulate`: simulate reads of a known genome."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import click

from debruijn_gpu.cli.common import configure_log, memory_option, verbosity
from debruijn_gpu.cli.groups import excludes, needs, option_rules
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import STANDARD_STREAM, InputFile, OutputFile, note_outputs
from debruijn_gpu.io.fastx.fasta import read_fasta
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.reads.genome import load_genome
from debruijn_gpu.reads.options import SimulateOptions
from debruijn_gpu.reads.simulate import simulate_reads
from debruijn_gpu.run.file_formats import choose_format, ending_of
from debruijn_gpu.run.log import report, stage
from debruijn_gpu.run.progress import running
from debruijn_gpu.run.resources import check_budget, memory_left

_GENOME_COPIES = 3  # its text and codes, and copies of both while they grow


@click.command("simulate")
@click.argument("reference", type=InputFile(), metavar="[REF]", default=STANDARD_STREAM)
@click.option(
    "-o",
    "--output",
    "prefix",
    type=OutputFile(is_prefix=True),
    metavar="PREFIX",
    help="Write PREFIX.fastq.gz, or PREFIX_R1.fastq.gz and PREFIX_R2.fastq.gz (default: FASTQ to standard output). "
    "An extension is kept: reads.fq becomes reads.fq, or reads_R1.fq and reads_R2.fq.",
)
@click.option(
    "--length",
    "length_bp",
    type=COUNT,
    default=SimulateOptions.length_bp,
    show_default=True,
    metavar="BP",
    help="Read length.",
)
@click.option(
    "--depth",
    default=SimulateOptions.depth,
    show_default=True,
    metavar="X",
    help="Mean read depth.",
)
@click.option(
    "--reads",
    "n_reads",
    type=COUNT,
    metavar="N",
    help="Number of reads, or with --paired of pairs, instead of --depth.",
)
@click.option("--paired", is_flag=True, help="Simulate read pairs (FR); interleaved on standard output.")
@click.option(
    "--insert",
    "insert_bp",
    type=COUNT,
    default=SimulateOptions.insert_bp,
    show_default=True,
    metavar="BP",
    help="Mean insert size, both reads included.",
)
@click.option(
    "--insert-sd",
    "insert_sd_bp",
    default=SimulateOptions.insert_sd_bp,
    show_default=True,
    metavar="BP",
    help="Standard deviation of the insert size.",
)
@click.option(
    "--sub-rate",
    default=SimulateOptions.sub_rate,
    show_default=True,
    metavar="RATE",
    help="Mean substitutions per base; at the end of a read the rate is four times that at its start, but at most 1.",
)
@click.option(
    "--indel-rate",
    default=SimulateOptions.indel_rate,
    show_default=True,
    metavar="RATE",
    help="Insertions and deletions per base, each of one base.",
)
@click.option("--circular", is_flag=True, help="Treat records as circular: reads may cross the origin.")
@click.option(
    "--truth",
    is_flag=True,
    help="Let names tell the origin, as those of DWGSIM: record, start and strand of both mates, numbers of errors.",
)
@click.option(
    "--seed",
    default=SimulateOptions.seed,
    show_default=True,
    metavar="N",
    help="Random seed.",
)
@memory_option
@verbosity
@option_rules(needs("--insert", "--paired"), needs("--insert-sd", "--paired"), excludes("--reads", "--depth"))
def command(reference: str, prefix: str | None, memory: str, **options: Any) -> None:
    """Simulate reads of the genome in REF (FASTA, or one sequence per line; may be compressed; default or -: standard
    input).

    Reads come from both strands of every record, in proportion to its length. They cover no N; of other IUPAC letters
    they have one of the bases. The same options give the same reads.
    """
    configure_log(options)
    check_budget(memory)
    chosen = SimulateOptions(**options)
    paths = output_paths(prefix, chosen.paired)
    note_outputs([path for path in paths if path is not None], "--output")
    for path in paths:
        check_writable(path)
    with running("read"):
        records = read_fasta(reference, memory_left(memory) // _GENOME_COPIES)
        genome = load_genome(records, chosen)
    with stage("draw reads") as drawn, ExitStack() as stack:
        outputs = [stack.enter_context(open_output(path)) for path in paths]
        for texts in simulate_reads(genome, chosen, interleaved=chosen.paired and paths == [None]):
            for output, text in zip(outputs, texts, strict=True):
                output.write(text)
                drawn.items += text.count(b"\n+\n")
        drawn.unit = "reads"
    report("%s reads of %s bp", f"{drawn.items:,}", f"{chosen.length_bp:,}")


def output_paths(prefix: str | None, paired: bool) -> list[str | None]:
    """Files to write; None is standard output.

    Raises
    ------
    UsageError
        If the ending of the prefix means another format.
    """
    if prefix in (None, "-"):
        return [None]
    choose_format(prefix, ("fastq",), "fastq")
    ending = ending_of(prefix)
    stem, ending = (prefix[: -len(ending)], ending) if ending else (prefix, ".fastq.gz")
    return [f"{stem}_R1{ending}", f"{stem}_R2{ending}"] if paired else [f"{stem}{ending}"]
