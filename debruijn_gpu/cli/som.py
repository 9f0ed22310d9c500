"""`dbg som`: train a self-organizing map of a table of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.binning.options import DISTANCES, SCALES, TOPOLOGIES, SomOptions, parse_map
from debruijn_gpu.binning.self_organizing_map import SelfOrganizingMap
from debruijn_gpu.cli.common import compute_options, configure_log, take_fields, take_run_options, verbosity
from debruijn_gpu.cli.groups import needs, option_rules
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import InputFile, OutputFile, output_option
from debruijn_gpu.cli.tables import each_once
from debruijn_gpu.errors import UsageError
from debruijn_gpu.io.numbers.files import read_table
from debruijn_gpu.io.numbers.reading import Demand
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.plots.plot import FORMATS, plot_format
from debruijn_gpu.plots.u_matrix import draw_u_matrix
from debruijn_gpu.primitives.keys import Key
from debruijn_gpu.primitives.options import DTYPES, TableOptions, parse_fields
from debruijn_gpu.run import log
from debruijn_gpu.run.file_formats import choose_format
from debruijn_gpu.run.resources import memory_left

if TYPE_CHECKING:
    from typing import BinaryIO

    from debruijn_gpu.primitives.columns import Columns
    from debruijn_gpu.run.options import RunOptions

_ROWS_AT_ONCE = 1 << 16


@click.command("som")
@click.argument("sources", type=InputFile(), nargs=-1, metavar="[TABLE]...")
@click.option("--map", "map_size", default="20x20", show_default=True, metavar="ROWSxCOLUMNS", help="Size of the map.")
@click.option(
    "--topology",
    default=SomOptions.topology,
    show_default=True,
    metavar="|".join(TOPOLOGIES),
    help="Whether opposite sides of the map are neighbours.",
)
@click.option(
    "--distance",
    default=SomOptions.distance,
    show_default=True,
    metavar="|".join(DISTANCES),
    help="Distance between vectors and units.",
)
@click.option(
    "--scale",
    default=SomOptions.scale,
    show_default=True,
    metavar="|".join(SCALES),
    help="Divide each column by its range or its standard deviation first.",
)
@click.option(
    "--epochs", type=COUNT, default=SomOptions.epochs, show_default=True, metavar="N", help="Training epochs."
)
@click.option(
    "--start-radius",
    type=float,
    metavar="UNITS",
    help="Standard deviation of the neighbourhood in the first epoch (default: a quarter of the longer side).",
)
@click.option(
    "--end-radius",
    type=float,
    default=SomOptions.end_radius,
    show_default=True,
    metavar="UNITS",
    help="The same in the last epoch.",
)
@click.option("--seed", type=int, default=SomOptions.seed, show_default=True, metavar="N", help="Random seed.")
@click.option("--header", is_flag=True, help="The first line of text names the columns.")
@click.option("--fields", default="", metavar="2,3...", help="Columns to train with, in this order (default: all).")
@click.option("--dtype", metavar="|".join(DTYPES), help="Read raw little-endian numbers of this type.")
@click.option(
    "--columns",
    "n_columns",
    type=COUNT,
    default=TableOptions.n_columns,
    show_default=True,
    metavar="N",
    help="Number of columns of raw input, in row-major order.",
)
@output_option
@click.option(
    "--weights", type=OutputFile(), metavar="FILE", help="Also write the weights of the units, row by row, as .npy."
)
@click.option(
    "--u-matrix",
    type=OutputFile(),
    metavar="FILE",
    help="Also write the U-matrix: .npy, or a picture (SVG, PNG or PDF), by file extension.",
)
@compute_options
@verbosity
@option_rules(needs("--columns", "--dtype"))
def command(
    sources: tuple[str, ...],
    map_size: str,
    output: str | None,
    weights: str | None,
    u_matrix: str | None,
    **options: Any,
) -> None:
    """Train a self-organizing map of TABLE, and write the best matching unit of each row.

    TABLE (default or -: standard input) is text, .npy or raw, as in dbg sort; several files are one table. The output
    has the columns row (from 1), x and y (column and row of the unit in the map, from 0), and distance. The map is
    trained by batches with integers: the same table, options and seed give the same bytes on CPU and GPU.
    """
    configure_log(options)
    run = take_run_options(options)
    read = TableOptions(
        dtype=options.pop("dtype"),
        n_columns=options.pop("n_columns"),
        fields=parse_fields(options.pop("fields")),
        header=options.pop("header"),
    )
    rows, columns = parse_map(map_size)
    chosen = SomOptions(rows=rows, columns=columns, **take_fields(SomOptions, options))
    kinds = _check_outputs(output, weights, u_matrix)
    vectors = _read_vectors(each_once(sources), read, run)
    som = SelfOrganizingMap(**asdict(chosen), backend=run.backend, threads=run.threads).fit(vectors)
    units, distances = som.match(vectors)
    with log.stage("write", len(units), "rows"), open_output(output) as stream:
        _write_units(stream, units, distances, columns)
    if weights is not None:
        with open_output(weights) as stream:
            np.save(stream, som.weights_)
    if u_matrix is not None:
        with open_output(u_matrix) as stream:
            _write_u_matrix(stream, kinds, som.u_matrix())
    log.report("quantization error %.6g", float(np.sum(distances) / len(distances)))


def _check_outputs(output: str | None, weights: str | None, u_matrix: str | None) -> str:
    """Raise the errors of output files before work that may take long; return the format of the U-matrix."""
    check_writable(output)
    choose_format(weights, ("npy",), "npy", of="--weights")
    kind = choose_format(u_matrix, ("npy", *FORMATS), "npy", of="--u-matrix")
    for option, path in (("--weights", weights), ("--u-matrix", u_matrix)):
        if path == "-":
            raise UsageError(f"{option} -: standard output is for the units", "name a file, such as map.npy")
        check_writable(path)
    if kind in FORMATS and u_matrix is not None:
        plot_format(u_matrix)  # raises without matplotlib
    return kind


def _read_vectors(paths: Sequence[str], options: TableOptions, run: RunOptions) -> NDArray[np.float64]:
    """Read the columns of a table as rows of floats."""
    keys = tuple(Key(field, is_text=False) for field in options.fields) or None
    demand = Demand(keys=keys, numbers=None if keys is None else (), header=options.header)
    backend = backends.load(replace(run, backend="cpu"))
    with log.stage("read", unit="rows") as stage:
        allowed = memory_left(run.memory)
        found: Columns = read_table(paths, options, demand, backend, run.n_threads, allowed).columns
        stage.items = len(found)
    columns = [found.column(field) for field in options.fields] or list(found.arrays)
    return np.column_stack([np.asarray(column, np.float64) for column in columns])


def _write_units(stream: BinaryIO, units: NDArray[np.int64], distances: NDArray[np.float64], columns: int) -> None:
    """Write the table of best matching units."""
    stream.write(b"row\tx\ty\tdistance\n")
    for start in range(0, len(units), _ROWS_AT_ONCE):
        rows = zip(
            units[start : start + _ROWS_AT_ONCE].tolist(),
            distances[start : start + _ROWS_AT_ONCE].tolist(),
            strict=True,
        )
        lines = [
            f"{number}\t{unit % columns}\t{unit // columns}\t{distance:.9g}\n"
            for number, (unit, distance) in enumerate(rows, start + 1)
        ]
        stream.write("".join(lines).encode())


def _write_u_matrix(stream: BinaryIO, kind: str, heights: NDArray[np.float64]) -> None:
    """Write the U-matrix as an array or a picture."""
    if kind == "npy":
        np.save(stream, heights)
    else:
        draw_u_matrix(stream, kind, heights)
