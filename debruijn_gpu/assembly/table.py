"""Contigs as a table of HTML, which notebooks show."""

from __future__ import annotations

from html import escape

import numpy as np

from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.assembly.statistics import nx_lx

_COLUMNS = ("contig", "length", "k-mer depth", "circular", "links", "sequence")
_MOST_ROWS = 10
_START_BP, _END_BP = 30, 10
_TO_THE_LEFT = ' style="text-align: left"'


def contigs_table(contigs: Contigs) -> str:
    """The totals, and a row for each of the first ten contigs; plain, so that it looks like the notebook around it."""
    n_links = np.bincount(contigs.links.ravel() // 2, minlength=len(contigs))
    rows = [_row(contigs, i, int(n_links[i])) for i in range(min(len(contigs), _MOST_ROWS))]
    head = "".join(f"<th{_TO_THE_LEFT if name == 'sequence' else ''}>{name}</th>" for name in _COLUMNS)
    more = len(contigs) - len(rows)
    rest = f"<p>and {more:,} more</p>" if more else ""
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>" if rows else ""
    return f"<div><p>{_totals(contigs)}</p>{table}{rest}</div>"


def _row(contigs: Contigs, i: int, n_links: int) -> str:
    sequence = contigs.sequence(i).decode("ascii", "replace")
    if len(sequence) > _START_BP + _END_BP:
        sequence = f"{sequence[:_START_BP]}…{sequence[-_END_BP:]}"
    circular = "yes" if contigs.circular[i] else "no"
    numbers = (str(i + 1), f"{contigs.lengths[i]:,}", f"{contigs.kmer_depth[i]:.2f}", circular, f"{n_links:,}")
    cells = "".join(f"<td>{escape(text)}</td>" for text in numbers)
    return f"<tr>{cells}<td{_TO_THE_LEFT}><code>{escape(sequence)}</code></td></tr>"


def _totals(contigs: Contigs) -> str:
    if not len(contigs):
        return f"no contigs, k = {contigs.k}"
    lengths = np.sort(contigs.lengths)[::-1]
    noun = "contig" if len(contigs) == 1 else "contigs"
    return (
        f"{len(contigs):,} {noun}, {int(lengths.sum()):,} bp, largest {int(lengths[0]):,}, "
        f"N50 {nx_lx(lengths, 50)[0] or 0:,}, k = {contigs.k}"
    )
