"""`dbg color build`: the coloured de Bruijn graph of samples."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import click

from debruijn_gpu.cli.color.outputs import color_output, load_backend, take_output, write_index_as
from debruijn_gpu.cli.color.reading import index_path, is_index
from debruijn_gpu.cli.common import configure_log, take_run_options
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import InputFile
from debruijn_gpu.colors.building import build_color_index
from debruijn_gpu.colors.index import ColorIndex
from debruijn_gpu.errors import UsageError
from debruijn_gpu.io.color_index.reading import read_color_index
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.samples.counting import count_samples
from debruijn_gpu.samples.joint import join_counted
from debruijn_gpu.samples.options import DEFAULT_K, SampleOptions
from debruijn_gpu.samples.sheet import read_samples


@click.command("build", short_help="Build the coloured graph of samples.")
@click.argument("samples", type=InputFile(members=("colors.dbgc",)), nargs=-1, required=True, metavar="SAMPLES...")
@click.option(
    "-k", "k", type=COUNT, metavar="K", help=f"k-mer length (default: {DEFAULT_K}, or that of sets of k-mers)."
)
@click.option(
    "--min-count",
    "hard_min",
    type=COUNT,
    metavar="N",
    help="Minimum count of a k-mer in a sample (default: 2 in FASTQ, 1 in other files).",
)
@color_output
def build(samples: tuple[str, ...], k: int | None, hard_min: int | None, **options: Any) -> None:
    """Write the compacted coloured de Bruijn graph of SAMPLES.

    SAMPLES are sample sheets (name, tab, files with commas between them; or kmtricks' 'name : file ; file'), or other
    files, each of which is a sample: FASTA, FASTQ, or sets of k-mers. A saved index (.dbgc, or a directory of this
    command) is read instead of being built.

    Unitigs have a field C:COLOR:KMERS (GFA: the tag CS:Z:COLOR:KMERS,...) for each run of k-mers of one colour set.
    Colour sets are numbered from 0 in the order of their first k-mer; 'dbg color sets' lists them.
    """
    configure_log(options)
    run = take_run_options(options)
    output, chosen = take_output(options)
    index = _index(samples, k, hard_min, run)
    with closing(index):
        write_index_as(index, output, chosen, run, load_backend(run))


def _index(samples: tuple[str, ...], k: int | None, hard_min: int | None, run: RunOptions) -> ColorIndex:
    """Read an index, or count samples and build one."""
    saved = [path for path in samples if is_index(path)]
    if saved:
        if len(samples) > 1 or k is not None or hard_min is not None:
            raise UsageError(
                f"{saved[0]}: a saved index is read alone, without -k and --min-count", "give it alone, or the samples"
            )
        return read_color_index(index_path(saved[0]))
    backend = load_backend(run)
    with closing(count_samples(read_samples(samples), SampleOptions(k=k, hard_min=hard_min), run, backend)) as counted:
        with log.stage("colour k-mers") as stage:
            parts = join_counted(counted, run, backend)
            index = build_color_index(parts, counted.k, counted.canonical, counted.names, run, backend)
            stage.items, stage.unit = len(index), "k-mers"
    log.report("%s colour sets", f"{len(index.color_sets):,}")
    return index
