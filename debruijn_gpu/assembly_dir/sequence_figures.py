"""Figures of `dbg stats`, of contigs, reads and single sequences: rows of tables and members of JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from debruijn_gpu.assembly.length_statistics import LengthStats, length_stats
from debruijn_gpu.assembly.options import StatsOptions
from debruijn_gpu.assembly.statistics import Compositions
from debruijn_gpu.assembly_dir.writing import report_rows, stats_dict
from debruijn_gpu.io.fastx.read_figures import ReadFigures
from debruijn_gpu.run.plain_text import one_line

Row = tuple[str, str]


@dataclass(frozen=True)
class NamedSequences:
    """Compositions of the sequences of a file; ``names`` of each, if asked for; ``reads`` if it is FASTQ."""

    name: str
    compositions: Compositions
    names: list[str]
    reads: ReadFigures | None = None


def figure_rows(files: Sequence[NamedSequences], options: StatsOptions) -> list[list[str]]:
    """Rows of a table with one column per file, either all of contigs or all of reads."""
    if files[0].reads is not None:
        columns = [_read_rows(one, options) for one in files]
        header = ["Reads", *(one_line(one.name) for one in files)]
        return [header, *_merged(columns)]
    stats = {one.name: one.compositions.stats(options.min_contig_bp) for one in files}
    return [*report_rows(stats), *_merged([_contig_rows(one, options) for one in files])]


def figure_members(files: Sequence[NamedSequences], options: StatsOptions) -> dict[str, Any]:
    """Members of JSON: ``reads`` or ``assemblies``."""
    if files[0].reads is not None:
        return {"reads": [_read_members(one, options) for one in files]}
    members = []
    for one in files:
        stats = stats_dict(one.compositions.stats(options.min_contig_bp))
        members.append({"name": one.name, **stats, **asdict(_lengths(one, options)), "n_gaps": _n_gaps(one, options)})
    return {"assemblies": members}


def sequence_rows(files: Sequence[NamedSequences], options: StatsOptions) -> list[list[str]]:
    """Rows of a table with one row per sequence."""
    several = len(files) > 1
    header = [*(["file"] if several else []), "name", "length", "gc_percent", "n_ambiguous", "n_gaps"]
    rows = [header]
    for one in files:
        first = [one_line(one.name)] if several else []
        for member in _sequences(one, options):
            name, length, gc, *counts = member.values()
            rows.append([*first, one_line(name), str(length), _text(gc, ".2f"), *map(str, counts)])
    return rows


def sequence_members(files: Sequence[NamedSequences], options: StatsOptions) -> dict[str, Any]:
    """Members of JSON with one object per sequence."""
    return {"files": [{"name": one.name, "sequences": _sequences(one, options)} for one in files]}


def _sequences(one: NamedSequences, options: StatsOptions) -> list[dict[str, Any]]:
    found = one.compositions
    assert found.gap_counts is not None
    columns = (found.lengths_bp, found.gc_counts, found.n_counts, found.gap_counts)
    return [
        {
            "name": name,
            "length_bp": length,
            "gc_percent": 100 * gc / (length - n) if length > n else None,
            "n_ambiguous": n,
            "n_gaps": gaps,
        }
        for name, length, gc, n, gaps in zip(one.names, *(column.tolist() for column in columns), strict=True)
        if length >= options.min_contig_bp
    ]


def _lengths(one: NamedSequences, options: StatsOptions) -> LengthStats:
    lengths = one.compositions.lengths_bp
    return length_stats(lengths[lengths >= options.min_contig_bp], options.nx, options.genome_bp)


def _n_gaps(one: NamedSequences, options: StatsOptions) -> int:
    gaps = one.compositions.gap_counts
    assert gaps is not None
    return int(gaps[one.compositions.lengths_bp >= options.min_contig_bp].sum())


def _contig_rows(one: NamedSequences, options: StatsOptions) -> list[Row]:
    """Rows behind those of QUAST, which has N50 and N90."""
    found = _lengths(one, options)
    return [
        ("Shortest contig", _text(found.shortest_bp)),
        ("Mean length", _text(found.mean_bp, ".1f")),
        ("Median length", _text(found.median_bp, ".1f")),
        *_nx_rows(found, ("50", "90")),
        ("# gaps", str(_n_gaps(one, options))),
    ]


def _nx_rows(found: LengthStats, without: tuple[str, ...] = ()) -> list[Row]:
    rows = []
    for prefix, lengths, numbers in (("", found.nx_bp, found.lx), ("G", found.ngx_bp, found.lgx)):
        kept = [x for x in lengths if prefix or x not in without]
        rows += [(f"N{prefix}{x}", _text(lengths[x])) for x in kept]
        rows += [(f"L{prefix}{x}", _text(numbers[x])) for x in kept]
    return rows


def _read_rows(one: NamedSequences, options: StatsOptions) -> list[Row]:
    values, found = _read_members(one, options), _lengths(one, options)
    return [
        ("# reads", str(values["n_reads"])),
        ("Total length", str(values["total_bp"])),
        ("Shortest read", _text(found.shortest_bp)),
        ("Mean length", _text(found.mean_bp, ".1f")),
        ("Median length", _text(found.median_bp, ".1f")),
        ("Longest read", _text(values["longest_bp"])),
        *_nx_rows(found),
        ("GC (%)", _text(values["gc_percent"], ".2f")),
        ("# N's", str(values["n_ambiguous"])),
        ("Q20 (%)", _text(values["q20_percent"], ".2f")),
        ("Q30 (%)", _text(values["q30_percent"], ".2f")),
        ("Mean quality", _text(values["mean_quality"], ".2f")),
    ]


def _read_members(one: NamedSequences, options: StatsOptions) -> dict[str, Any]:
    assert one.reads is not None
    found = one.compositions
    kept = found.lengths_bp >= options.min_contig_bp
    total_bp, gc_bp, n_bp = (
        int(np.sum(column[kept])) for column in (found.lengths_bp, found.gc_counts, found.n_counts)
    )
    return {
        "name": one.name,
        "n_reads": int(kept.sum()),
        "total_bp": total_bp,
        "longest_bp": int(found.lengths_bp[kept].max()) if kept.any() else None,
        **asdict(_lengths(one, options)),
        "gc_percent": 100 * gc_bp / (total_bp - n_bp) if total_bp > n_bp else None,
        "n_ambiguous": n_bp,
        "q20_percent": one.reads.share_from(20),
        "q30_percent": one.reads.share_from(30),
        "mean_quality": one.reads.mean_quality(),
    }


def _merged(columns: Sequence[list[Row]]) -> list[list[str]]:
    return [[rows[0][0], *(value for _name, value in rows)] for rows in zip(*columns, strict=True)]


def _text(value: float | None, spec: str = "d") -> str:
    return "-" if value is None else format(value, spec)
