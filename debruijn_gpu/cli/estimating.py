"""`dbg assemble --estimate`: print what an assembly needs."""

from __future__ import annotations

from debruijn_gpu.assembly.cluster_options import ClusterOptions
from debruijn_gpu.assembly.options import SMALLEST_ROTATION, AssembleOptions
from debruijn_gpu.cluster_estimation import ClusterEstimate, estimate_cluster
from debruijn_gpu.estimation import Estimate, estimate_needs
from debruijn_gpu.io.fastx.genes import read_genes
from debruijn_gpu.io.output import open_output
from debruijn_gpu.io.tables import SCHEMA_VERSION, aligned_table, to_json
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.plain_text import counted as number_of, one_line
from debruijn_gpu.run.resources import format_bytes

_MIB = 1 << 20


def print_estimate(
    inputs: ReadInputs,
    options: AssembleOptions,
    run: RunOptions,
    file_format: str,
    cluster: ClusterOptions | None = None,
) -> None:
    """Write an estimate to standard output, with one of a cluster if it is given; warn if memory does not suffice."""
    if options.rotate != SMALLEST_ROTATION:
        read_genes(options.rotate)  # raises what the run would raise
    found = estimate_needs(inputs, options, run)
    planned = None if cluster is None else estimate_cluster(found.load, cluster)
    with open_output(None) as stream:
        if file_format == "json":
            members = {"schema_version": SCHEMA_VERSION, **found.as_json()}
            stream.write(to_json(members if planned is None else {**members, "cluster": planned.as_json()}))
        else:
            stream.write(aligned_table(_rows(found)).encode())
            if planned is not None:
                stream.write(b"\n" + aligned_table(cluster_rows(planned)).encode())
                stream.write(b"\n" + aligned_table(stage_rows(planned)).encode())
    if planned is not None and not planned.model.fits:
        log.logger.warning(
            "gluing takes about %s in one process, and workers have %s: give its host more, or keep fewer k-mers "
            "(--min-count)",
            format_bytes(planned.model.glue_memory),
            format_bytes(planned.model.cluster.memory),
        )
    if not found.fits:
        log.logger.warning(
            "-m %dM does not suffice: give -m %dM or more",
            found.budget_bytes // _MIB,
            found.needs.least_budget_bytes // _MIB,
        )


def _rows(found: Estimate) -> list[tuple[str, str]]:
    """Format the rows of the table."""
    needs = found.needs
    return [
        ("reads", f"{found.n_reads:,}"),
        ("read length (bp)", f"{found.read_bp:,}"),
        ("bases", f"{found.n_bases:,}"),
        ("genome size (bp)", f"{found.genome_bp:,}"),
        ("read depth", f"{found.depth:.1f}"),
        ("errors (%)", f"{100 * found.error_rate:.2f}"),
        ("k", ",".join(map(str, found.ks))),
        ("memory allowed (-m)", format_bytes(found.budget_bytes)),
        ("memory", format_bytes(needs.memory_bytes)),
        ("smallest -m", f"{needs.least_budget_bytes // _MIB}M"),
        ("temporary files", format_bytes(needs.temporary_bytes)),
        ("results", format_bytes(needs.output_bytes)),
        ("CPU time", _time(needs.cpu_s)),
        (f"time, {found.threads} threads" if found.threads > 1 else "time, 1 thread", _time(needs.wall_s)),
    ]


def cluster_rows(found: ClusterEstimate) -> list[tuple[str, str]]:
    """Format the rows of the table of a cluster."""
    model = found.model
    limit = found.limit
    return [
        ("workers", f"{model.cluster.n_workers:,} x {number_of(model.cluster.threads, 'thread')}"),
        ("k", str(model.load.k)),
        ("partitions", f"{model.n_partitions:,}"),
        ("stored by each worker", format_bytes(model.worker_bytes)),
        ("memory for gluing", format_bytes(model.glue_memory)),
        ("time, reads to unitigs", _time(found.wall_s)),
        ("limit", f"{limit.name}: {limit.limit}"),
        ("rates", one_line(model.rates.machine)),
    ]


def stage_rows(found: ClusterEstimate) -> list[tuple[str, ...]]:
    """Format the stages of a cluster: CPU time, bytes between workers, least and simulated time, and limit."""
    rows: list[tuple[str, ...]] = [("stage", "CPU time", "moved", "least time", "time", "limit")]
    for stage, simulated in zip(found.stages, found.simulated, strict=True):
        times = _time(stage.cpu_s), format_bytes(stage.moved_bytes), _time(stage.wall_s), _time(simulated.wall_s)
        rows.append((stage.name, *times, stage.limit))
    return rows


def _time(seconds: float) -> str:
    """``1 h 05 min``, ``12 min``, ``40 s``."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60:02d} min" if minutes >= 100 else f"{minutes} min"
