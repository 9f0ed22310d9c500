"""Report what a screen found, as TSV or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, BinaryIO

from debruijn_gpu.io.screening.screening import ScreenCounts
from debruijn_gpu.io.tables import SCHEMA_VERSION, to_json
from debruijn_gpu.screening.options import ScreenOptions

REPORT_FORMATS = ("tsv", "json")
#: Name of the row of all references together
ANY = "*"
_COLUMNS = ("reads", "bases", "kmers")
_ESCAPED = "backslashreplace"


def write_report(
    stream: BinaryIO, file_format: str, counts: ScreenCounts, names: Sequence[str], k: int, options: ScreenOptions
) -> None:
    """Write reads, bases and k-mers that match, for each reference and for all.

    Parameters
    ----------
    stream : BinaryIO
    file_format : str
        One of `REPORT_FORMATS`.
    counts : ScreenCounts
    names : sequence of str
        Of the references.
    k : int
    options : ScreenOptions
    """
    stream.write(_json(counts, names, k, options) if file_format == "json" else _tsv(counts, names))


def _tsv(counts: ScreenCounts, names: Sequence[str]) -> bytes:
    """One line per reference, then that of reads that match all of them together."""
    total = counts.written.n_matched_reads, counts.n_matched_bases, counts.n_matched_kmers
    rows = zip((*names, ANY), (*counts.references.T.tolist(), total), strict=True)
    lines = ["\t".join(("reference", *_COLUMNS)), *("\t".join((name, *map(str, row))) for name, row in rows)]
    return "".join(f"{line}\n" for line in lines).encode(errors=_ESCAPED)


def _json(counts: ScreenCounts, names: Sequence[str], k: int, options: ScreenOptions) -> bytes:
    """All totals, with the options that decide them."""
    written = counts.written
    found: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "k": k,
        "min_hits": options.min_hits,
        "keep": options.kept,
        "pair": options.pair,
        "reads": counts.n_reads,
        "bases": counts.n_bases,
        "kmers": counts.n_kmers,
        "reads_without_kmers": counts.n_reads_without_kmers,
        "matched_reads": written.n_matched_reads,
        "matched_bases": counts.n_matched_bases,
        "matched_kmers": counts.n_matched_kmers,
        "pairs": written.n_pairs,
        "matched_pairs": written.n_matched_pairs,
        "edited_reads": counts.edited.n_reads,
        "edited_bases": counts.edited.n_bases,
        "short_reads": written.n_short_reads,
        "written_reads": written.n_written_reads,
        "written_bases": written.n_written_bases,
        "references": [
            {"name": name, **dict(zip(_COLUMNS, row, strict=True))}
            for name, row in zip(names, counts.references.T.tolist(), strict=True)
        ],
    }
    return to_json(found)
