"""`dbg bench`: compare the run times of CPU and GPU at growing input sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from debruijn_gpu.bench.measuring import Bench, Cut, bench_dict, run_bench
from debruijn_gpu.bench.options import OPERATIONS, BenchOptions, parse_backends, parse_sizes
from debruijn_gpu.bench.series import Timing
from debruijn_gpu.cli.common import configure_log, gpu_memory, resource_options, take_run_options, verbosity
from debruijn_gpu.cli.figures import figure_options, plot_option, take_figure_format, take_plot
from debruijn_gpu.cli.groups import exclusive, option_rules
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import output_option
from debruijn_gpu.errors import DbgError, UsageError
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.io.publishing import publish_completed
from debruijn_gpu.io.tables import aligned_table, to_json
from debruijn_gpu.plots.rates import draw_rates
from debruijn_gpu.run import log

_COLUMNS = ("operation", "size", "unit", "backend", "seconds", "per_second", "host_to_host", "runs", "same_result")


@click.command("bench")
@click.argument("operations", nargs=-1, metavar="[OPERATION]...")
@click.option("--sizes", metavar="1k,1M,2^20...", help="Input sizes (default: growing sizes, see above).")
@click.option("--max-size", type=COUNT, metavar="N", help="Largest input size, without a limit of time.")
@click.option(
    "--repeats",
    type=COUNT,
    default=BenchOptions.repeats,
    show_default=True,
    metavar="N",
    help="Number of runs, whose median is reported.",
)
@click.option("--backends", "names", metavar="cpu,cuda", help="Backends to time (default: all available).")
@plot_option
@figure_options
@output_option
@resource_options
@gpu_memory
@verbosity
@option_rules(*exclusive("--sizes", "--max-size"))
def command(output: str | None, plot: str | None, **options: Any) -> None:
    """Time sort, distinct, compact, euler, cyclospec and lookandsay on CPU and GPU, each at growing sizes.

    Reported times are medians of warm runs, without and with (host_to_host) the transfer of data between host and
    device. The results of both backends are compared. By default, sizes grow until a run takes a second or exceeds
    memory. OPERATION is one of the six (default: all).
    """
    configure_log(options)
    operations = options.pop("operations") or OPERATIONS
    sizes, names = options.pop("sizes"), options.pop("names")
    chosen = BenchOptions(
        operations=tuple(dict.fromkeys(operations)),
        sizes=parse_sizes(sizes or ""),
        max_size=options.pop("max_size"),
        repeats=options.pop("repeats"),
        backends=parse_backends(names or ""),
    )
    if sizes is not None and not chosen.sizes:
        raise UsageError(f"--sizes {sizes}: no sizes", "give some, such as 1k,1M")
    if names is not None and not chosen.backends:
        raise UsageError(f"--backends {names}: no backends", "give cpu, cuda or both")
    run = take_run_options(options)
    file_format = take_figure_format(options, output)
    check_writable(output)
    plot_format = take_plot(plot)
    bench = run_bench(chosen, run)
    log.logger.info("on %s", ", ".join(f"{name} {value}" for name, value in bench.machine.items()))
    with open_output(output) as stream:
        stream.write(_written(bench, file_format))
    for name, cut in bench.cuts.items():
        said = log.report if cut.measured is not None else log.logger.info
        said("%s: %s", name, describe(cut, [timing for timing in bench.timings if timing.operation == name]))
    if plot_format is not None:
        with log.stage("draw"), open_output(plot) as drawing:
            draw_rates(drawing, plot_format, bench)
    publish_completed()
    _check(bench.disagreeing)


def _written(bench: Bench, file_format: str) -> bytes:
    if file_format == "json":
        return to_json(bench_dict(bench))
    rows = [_COLUMNS, *(_row(timing, plain=file_format == "tsv") for timing in bench.timings)]
    if file_format == "tsv":
        return b"".join("\t".join(row).encode() + b"\n" for row in rows)
    return aligned_table(rows).encode()


def _row(timing: Timing, plain: bool) -> tuple[str, ...]:
    """Format the row of a timing, with plain numbers for programs."""
    same = {None: "-", True: "yes", False: "NO"}[timing.agrees]
    size = str(timing.size) if plain else f"{timing.size:,}"
    rate = f"{timing.rate:.6g}" if plain else f"{timing.rate / 1e6:,.3g} M"
    work_s, whole_s = (_seconds(value, plain) for value in (timing.work_s, timing.host_to_host_s))
    whole_s = "-" if timing.backend == "cpu" and not plain else whole_s
    return (timing.operation, size, timing.unit, timing.backend, work_s, rate, whole_s, str(timing.n_runs), same)


def _seconds(value: float, plain: bool) -> str:
    """Format a time, with few decimals for people."""
    return f"{value:.6g}" if plain else f"{value:.6f}" if value < 0.1 else f"{value:.3f}"


def describe(cut: Cut, timings: Sequence[Timing]) -> str:
    """Describe the input size above which the GPU is faster."""
    in_use = "leaves it alone" if cut.in_use is None else f"takes it from {cut.in_use:,} on"
    in_use = f"--backend auto {in_use}"
    if len({timing.backend for timing in timings}) < 2:
        return f"not compared; {in_use}"
    if cut.measured is not None:
        return f"the GPU is faster from {cut.measured:,} on, once it is started; {in_use}"
    return f"the GPU is {'faster at all' if cut.always else 'not faster at the largest'} of these sizes; {in_use}"


def _check(disagreeing: Sequence[Timing]) -> None:
    """Raise if results differ."""
    if disagreeing:
        where = ", ".join(f"{timing.operation} at {timing.size:,}" for timing in disagreeing[:3])
        raise DbgError(f"CPU and GPU give different results: {where}", "this is a defect: please report it")
