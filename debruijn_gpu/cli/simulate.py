"""`dbg simulate`: reads of a known genome."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import click

from debruijn_gpu.cli.common import configure_log, memory_option, verbosity
from debruijn_gpu.io.fasta import read_fasta
from debruijn_gpu.io.output import open_output
from debruijn_gpu.log import stage
from debruijn_gpu.options import SimulateOptions
from debruijn_gpu.progress import running
from debruijn_gpu.reads.simulate import load_genome, simulate_reads
from debruijn_gpu.resources import memory_left

_GENOME_COPIES = 3  # its text, its codes, and both once more while they grow


@click.command("simulate")
@click.argument("reference", metavar="REF")
@click.option(
    "-o",
    "--output",
    "prefix",
    metavar="PREFIX",
    help="Write PREFIX.fastq.gz or PREFIX_R1.fastq.gz and _R2, instead of FASTQ to stdout.",
)
@click.option(
    "--length",
    "length_bp",
    default=SimulateOptions.length_bp,
    show_default=True,
    metavar="BP",
    help="Length of each read.",
)
@click.option(
    "--depth",
    default=SimulateOptions.depth,
    show_default=True,
    metavar="X",
    help="Mean number of reads over a base.",
)
@click.option("--paired", is_flag=True, help="Pairs that face each other; interleaved on standard output.")
@click.option(
    "--insert",
    "insert_bp",
    default=SimulateOptions.insert_bp,
    show_default=True,
    metavar="BP",
    help="Mean length of a pair's fragment, both reads included.",
)
@click.option(
    "--insert-sd",
    "insert_sd_bp",
    default=SimulateOptions.insert_sd_bp,
    show_default=True,
    metavar="BP",
    help="Its standard deviation.",
)
@click.option(
    "--sub-rate",
    default=SimulateOptions.sub_rate,
    show_default=True,
    metavar="RATE",
    help="Substitutions per base, on average; four times as many at the end of a read as at its start.",
)
@click.option(
    "--indel-rate",
    default=SimulateOptions.indel_rate,
    show_default=True,
    metavar="RATE",
    help="Insertions and deletions of one base, per base.",
)
@click.option("--circular", is_flag=True, help="The records are circles: reads run over the origin.")
@click.option(
    "--seed",
    default=SimulateOptions.seed,
    show_default=True,
    metavar="N",
    help="Another number, other reads.",
)
@memory_option
@verbosity
def command(reference: str, prefix: str | None, memory: str, **options: Any) -> None:
    """Draw reads from the genome in REF (FASTA or a sequence per line, compressed or not; - is standard input).

    Both strands of every record, in proportion to its length; the same options, the same reads.
    """
    configure_log(options)
    chosen = SimulateOptions(**options)
    with running("read"):
        records = read_fasta(reference, memory_left(memory) // _GENOME_COPIES)
        genome = load_genome(records, chosen)
    with stage("draw reads") as drawn, ExitStack() as stack:
        outputs = [stack.enter_context(open_output(path)) for path in output_paths(prefix, chosen.paired)]
        for texts in simulate_reads(genome, chosen, interleaved=chosen.paired and prefix is None):
            for output, text in zip(outputs, texts, strict=True):
                output.write(text)
                drawn.items += text.count(b"\n+\n")
        drawn.unit = "reads"


def output_paths(prefix: str | None, paired: bool) -> list[str | None]:
    """Files to write; None is standard output."""
    if prefix is None:
        return [None]
    return [f"{prefix}_R1.fastq.gz", f"{prefix}_R2.fastq.gz"] if paired else [f"{prefix}.fastq.gz"]
