"""Format ``breaks.tsv``: the places of contigs that too few fragments span, and what was cut."""

from __future__ import annotations

from collections.abc import Iterable

from debruijn_gpu.assembly.breaks import ContigBreak

COLUMNS = ("contig", "start", "end", "kind", "spanning", "expected", "contradicting", "cut", "reason")


def breaks_tsv(breaks: Iterable[ContigBreak], n_reported: int) -> bytes:
    """Format a row for each place in a reported contig, below a header; a cut has a row for each side.

    Parameters
    ----------
    breaks : iterable of ContigBreak
    n_reported : int
        Contigs that are reported: the first ones.
    """
    rows = [COLUMNS, *(_row(one) for one in breaks if one.contig < n_reported)]
    return "".join("\t".join(row) + "\n" for row in rows).encode()


def _row(one: ContigBreak) -> tuple[str, ...]:
    place = f"contig_{one.contig + 1}", str(one.start + 1), str(one.stop)
    numbers = str(one.n_spanning), f"{one.expected:.1f}", str(one.n_contradicting)
    return (*place, one.kind, *numbers, "yes" if one.is_cut else "no", one.reason)
