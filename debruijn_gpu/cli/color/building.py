"""`dbg color build`: the coloured de Bruijn graph of samples."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from debruijn_gpu.assembly.options import check_assembly_k
from debruijn_gpu.cli.color.outputs import GRAPH_FORMATS, color_output, load_backend, take_output, write_index_as
from debruijn_gpu.cli.color.reading import index_path, is_index
from debruijn_gpu.cli.common import configure_log, dask_option, take_run_options
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import InputFile
from debruijn_gpu.cli.sample_files import samples_of
from debruijn_gpu.colors.building import colored_part, index_of_parts
from debruijn_gpu.colors.index import ColorIndex
from debruijn_gpu.colors.unitigs import check_graph_kmers
from debruijn_gpu.distributed.place import engine_at
from debruijn_gpu.errors import UsageError
from debruijn_gpu.io.color_index.reading import read_color_index
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.plain_text import counted
from debruijn_gpu.samples.counting import count_samples
from debruijn_gpu.samples.engine import CountedSamples
from debruijn_gpu.samples.options import DEFAULT_K, SampleOptions
from debruijn_gpu.samples.sheet import total_bytes

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend


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
@dask_option
def build(samples: tuple[str, ...], k: int | None, hard_min: int | None, dask: str | None, **options: Any) -> None:
    """Write the compacted coloured de Bruijn graph of SAMPLES.

    SAMPLES are sample sheets (name, tab, files with commas between them; or kmtricks' 'name : file ; file'), or other
    files, one sample each: FASTA, FASTQ, or sets of k-mers. A saved index (.dbgc, or a directory of this command) is
    read instead of being built.

    Unitigs have a field C:COLOR:KMERS (GFA: the tag CS:Z:COLOR:KMERS,...) for each run of k-mers of one colour set.
    Colour sets are numbered from 0 in the order of their first k-mer; 'dbg color sets' lists them.
    """
    configure_log(options)
    run = take_run_options(options)
    output, chosen = take_output(options)
    has_unitigs = chosen.file_format in GRAPH_FORMATS
    if has_unitigs and k is not None:
        check_assembly_k(k)
    check = check_graph_kmers if has_unitigs else None
    index, backend = _index(samples, SampleOptions(k=k, hard_min=hard_min), check, dask, run)
    with closing(index):
        write_index_as(index, output, chosen, run, backend)


def _index(
    paths: tuple[str, ...],
    options: SampleOptions,
    check: Callable[[int, bool], None] | None,
    dask: str | None,
    run: RunOptions,
) -> tuple[ColorIndex, AssemblyBackend]:
    """Read an index, or count samples, whose k-mers pass the check, and build one; load the backend for it."""
    saved = [path for path in paths if is_index(path)]
    if saved:
        if len(paths) > 1 or any(value is not None for value in (options.k, options.hard_min, dask)):
            raise UsageError(
                f"{saved[0]}: a saved index is read alone, without -k, --min-count and --dask",
                "give it alone, or the samples",
            )
        index = read_color_index(index_path(saved[0]))
        return index, load_backend(run, len(index))
    with ExitStack() as stack:
        samples = samples_of(paths, stack)
        engine, own = stack.enter_context(engine_at(dask, run, total_bytes(samples)))
        backend = load_backend(own, total_bytes(samples))
        with closing(count_samples(samples, options, own, backend, engine, check)) as kmers:
            index = _colored(kmers, own, backend)
    log.report(counted(len(index.color_sets), "colour set"))
    return index, backend


def _colored(kmers: CountedSamples, run: RunOptions, backend: AssemblyBackend) -> ColorIndex:
    """Join the k-mers of samples, and colour them."""
    with log.stage("colour k-mers") as stage:
        parts = kmers.joined(colored_part, run, backend, with_counts=False, in_few=True)
        n_kmers = np.array(kmers.sizes, np.int64)
        index = index_of_parts(parts, kmers.k, kmers.canonical, kmers.names, n_kmers, run, backend)
        stage.items, stage.unit = len(index), "k-mers"
    return index
