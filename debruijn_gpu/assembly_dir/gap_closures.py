"""Format ``gap_closures.tsv``: the gaps that were closed in contigs."""

from __future__ import annotations

from collections.abc import Iterable

from debruijn_gpu.assembly.closed_gaps import ClosedGap

COLUMNS = ("contig", "start", "end", "kind", "bases", "estimated_gap", "error", "pairs", "reads", "k")


def gap_closures_tsv(closed: Iterable[ClosedGap], n_reported: int) -> bytes:
    """Format a row for each gap that was closed in a reported contig, below a header.

    Parameters
    ----------
    closed : iterable of ClosedGap
    n_reported : int
        Contigs that are reported: the first ones.
    """
    rows = [COLUMNS, *(_row(gap) for gap in closed if gap.contig < n_reported)]
    return "".join("\t".join(row) + "\n" for row in rows).encode()


def _row(gap: ClosedGap) -> tuple[str, ...]:
    place = f"contig_{gap.contig + 1}", str(gap.start + 1), str(gap.stop)
    estimate = f"{gap.estimate_bp:.1f}", f"{gap.error_bp:.1f}"
    return (*place, gap.kind, str(gap.n_bases), *estimate, str(gap.n_pairs), str(gap.n_reads), str(gap.k or "-"))
