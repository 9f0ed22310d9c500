"""`dbg assemble --estimate`: print what an assembly needs."""

from __future__ import annotations

from debruijn_gpu.assembly.options import AssembleOptions
from debruijn_gpu.estimation import Estimate, estimate_needs
from debruijn_gpu.io.output import open_output
from debruijn_gpu.io.tables import SCHEMA_VERSION, aligned_table, to_json
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import format_bytes

_MIB = 1 << 20


def print_estimate(inputs: ReadInputs, options: AssembleOptions, run: RunOptions, file_format: str) -> None:
    """Write an estimate to standard output; warn if the memory that is allowed does not suffice."""
    found = estimate_needs(inputs, options, run)
    with open_output(None) as stream:
        if file_format == "json":
            stream.write(to_json({"schema_version": SCHEMA_VERSION, **found.as_json()}))
        else:
            stream.write(aligned_table(_rows(found)).encode())
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


def _time(seconds: float) -> str:
    """``1 h 05 min``, ``12 min``, ``40 s``."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60:02d} min" if minutes >= 100 else f"{minutes} min"
