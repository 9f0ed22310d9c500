"""Display of containers in IPython and Jupyter; no other module knows of it.

`register` is called when the package is imported where IPython runs, and by ``%load_ext debruijn_gpu``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.assembly.statistics import nx_lx
from debruijn_gpu.run.plain_text import counted

if TYPE_CHECKING:
    from debruijn_gpu.assembly.result import Assembly
    from debruijn_gpu.drawing.graph import Drawing
    from debruijn_gpu.graph.graph import Graph
    from debruijn_gpu.kmers.spectrum import Spectrum as KmerSpectrum
    from debruijn_gpu.peptides.spectrum import Measured, Spectrum as MassSpectrum

#: Largest graph that is drawn without being asked for, in vertices and in edges.
MOST_DRAWN = 1_000_000

_COLUMNS = ("contig", "length", "k-mer depth", "circular", "links", "sequence")
_MOST_ROWS = 10
_START_BP, _END_BP = 30, 10
_TO_THE_LEFT = ' style="text-align: left"'


def draw(graph: Graph, **options: Any) -> Drawing:
    """Draw a graph: ``draw(graph, euler=True).save("graph.svg")``; notebooks show the result.

    Parameters
    ----------
    graph : Graph
        In arrays of any backend.
    **options
        The fields of `drawing.options.DrawOptions`; ``around`` may be a number where vertices have no names.

    Returns
    -------
    Drawing
        See `drawing.graph.draw`, also for errors.
    """
    from debruijn_gpu.drawing.graph import draw as draw_graph
    from debruijn_gpu.drawing.options import DrawOptions

    if isinstance(around := options.get("around"), (int, np.integer)):
        options["around"] = str(around)
    return draw_graph(graph, DrawOptions(**options))


def graph_svg(graph: Graph) -> str | None:
    """Draw a graph as SVG; None without graphviz, and for graphs of more than `MOST_DRAWN` vertices or edges."""
    if graph.n_edges > MOST_DRAWN or graph.n_vertices > MOST_DRAWN:
        return None
    return draw(graph)._repr_svg_()


def kmer_spectrum_svg(spectrum: KmerSpectrum) -> str | None:
    """Plot a k-mer spectrum as SVG; None without matplotlib."""
    from debruijn_gpu.plots import kmer_spectrum

    return kmer_spectrum.kmer_spectrum_svg(spectrum)


def mass_spectrum_svg(spectrum: MassSpectrum) -> str | None:
    """Plot a theoretical mass spectrum as SVG; None without matplotlib."""
    from debruijn_gpu.plots import mass_spectrum

    return mass_spectrum.spectrum_svg(spectrum)


def measured_svg(measured: Measured) -> str | None:
    """Plot a measured mass spectrum as SVG; None without matplotlib."""
    from debruijn_gpu.plots import mass_spectrum

    return mass_spectrum.measured_svg(measured)


def assembly_html(assembly: Assembly) -> str:
    """Format the choices of an assembly and its reported contigs as HTML."""
    counts = assembly.counts
    peak = counts.estimate.peak
    depth = "" if peak is None else f"; k-mers of single-copy sequence occur {peak:.1f} times"
    facts = f"{counts.choice.why}; min-count {counts.min_count}{depth}"
    reported = assembly.reported
    if assembly.paths is None:
        return f"<p>{escape(facts)}</p>{contigs_html(reported)}"
    segments = assembly.segments
    at_ends = assembly.paths.first(len(reported)).links_at_ends(segments.links, len(segments))
    return f"<p>{escape(facts)}</p>{contigs_html(reported, at_ends.sum(axis=1))}"


def contigs_html(contigs: Contigs, n_links: NDArray[np.int64] | None = None) -> str:
    """Format the totals and the first ten contigs as a plain HTML table, in the style of the notebook.

    The number of links of each contig is that of its own links, unless it is given.
    """
    if n_links is None:
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
    return (
        f"{counted(len(contigs), 'contig')}, {int(lengths.sum()):,} bp, largest {int(lengths[0]):,}, "
        f"N50 {nx_lx(lengths, 50)[0] or 0:,}, k = {contigs.k}"
    )


#: Display functions by format, then by module and class.
DISPLAYS: dict[str, dict[tuple[str, str], Callable[[Any], str | None]]] = {
    "image/svg+xml": {
        ("debruijn_gpu.graph.graph", "Graph"): graph_svg,
        ("debruijn_gpu.kmers.spectrum", "Spectrum"): kmer_spectrum_svg,
        ("debruijn_gpu.peptides.spectrum", "Spectrum"): mass_spectrum_svg,
        ("debruijn_gpu.peptides.spectrum", "Measured"): measured_svg,
    },
    "text/html": {
        ("debruijn_gpu.assembly.contigs", "Contigs"): contigs_html,
        ("debruijn_gpu.assembly.result", "Assembly"): assembly_html,
    },
}


def register(shell: Any) -> None:
    """Register the display of all containers with an IPython shell."""
    for kind, displays in DISPLAYS.items():
        formatter = shell.display_formatter.formatters[kind]
        for (module, name), display in displays.items():
            formatter.for_type_by_name(module, name, display)


def register_if_running() -> None:
    """Register with the running IPython shell; do nothing outside of one."""
    shell = sys.modules["IPython"].get_ipython()
    if shell is not None:
        register(shell)
