"""A graph as a page: its data, and the view that fills the window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.reports.page import render_page

_HEAD_BP, _TAIL_BP = 40, 20  # what is shown of a long sequence


def unitig_data(
    contigs: Contigs,
    names: Sequence[str] | None = None,
    max_unitigs: int = 5000,
    depths: NDArray[np.float64] | None = None,
    lengths: NDArray[np.int64] | None = None,
) -> dict[str, Any]:
    """Unitigs and their links for a page.

    Parameters
    ----------
    contigs : Contigs
        In any order; circular ones need no link to themselves.
    names : sequence of str, shape=(n,), optional
        What they are called; by default 1, 2, ..., as `write_gfa` calls them.
    max_unitigs : int
        The longest are kept, the first ones of equal length.
    depths : ndarray, dtype=float64, shape=(n,), optional
        By default those of the contigs.
    lengths : ndarray, dtype=int64, shape=(n,), optional
        In bases, where not all sequences are known; by default those of the sequences.

    Returns
    -------
    dict
        ``kind`` "unitigs", ``k``, ``names``, ``lengths`` (bp), ``depths``, ``circular`` (0 or 1), ``sequences`` (the
        first 40 and the last 20 bases of those beyond 60), ``links`` (from, strand, to, strand) and, where some are
        not kept, ``n_left_out``.
    """
    lengths = contigs.lengths if lengths is None else lengths
    kept = np.sort(np.argsort(-lengths, kind="stable")[:max_unitigs])
    called = names if names is not None else range(1, len(contigs) + 1)
    covered = contigs.kmer_depth if depths is None else depths
    data = {
        "kind": "unitigs",
        "k": contigs.k,
        "names": [str(called[i]) for i in kept.tolist()],
        "lengths": lengths[kept].tolist(),
        "depths": np.round(covered[kept], 2).tolist(),
        "circular": contigs.circular[kept].astype(int).tolist(),
        "sequences": _shortened(contigs, kept),
        "links": _links_among(contigs, kept),
    }
    if len(kept) < len(contigs):
        data["n_left_out"] = len(contigs) - len(kept)
    return data


def _shortened(contigs: Contigs, kept: NDArray[np.int64]) -> list[str]:
    """Spell the beginning and the end of each kept unitig, or all of a short one."""
    starts, ends = contigs.offsets[kept].tolist(), contigs.offsets[kept + 1].tolist()
    text = contigs.text.data
    return [
        str(text[start:end], "ascii")
        if end - start <= _HEAD_BP + _TAIL_BP
        else f"{str(text[start : start + _HEAD_BP], 'ascii')}…{str(text[end - _TAIL_BP : end], 'ascii')}"
        for start, end in zip(starts, ends, strict=True)
    ]


def _links_among(contigs: Contigs, kept: np.ndarray[Any, np.dtype[np.int64]]) -> list[list[int]]:
    """Links between unitigs that are kept, by their places among these."""
    place = np.full(len(contigs), -1, np.int64)
    place[kept] = np.arange(len(kept))
    ends, strands = place[contigs.links >> 1], contigs.links & 1
    among = (ends >= 0).all(axis=1)
    links: list[list[int]] = np.stack((ends[:, 0], strands[:, 0], ends[:, 1], strands[:, 1]), axis=1)[among].tolist()
    return links


#: What a page with a graph in it needs; ``graphView(element, graph, options)`` draws
GRAPH_SCRIPTS = (
    "graph_model.js",
    "graph_layout.js",
    "graph_unitigs.js",
    "graph_vertices.js",
    "graph_panel.js",
    "graph_canvas.js",
    "graph_view.js",
)
GRAPH_STYLES = ("graph_view.css",)


def graph_page(graph_data: Mapping[str, Any], title: str) -> bytes:
    """A self-contained page to look around in a graph.

    Parameters
    ----------
    graph_data : mapping
        Of kind "unitigs" (`unitig_data`) or "vertices".
    title : str
        What the page is called; any text.

    Returns
    -------
    bytes
        HTML in UTF-8.
    """
    scripts = (*GRAPH_SCRIPTS, "graph_page.js")
    return render_page("graph.html", {}, title=title, data=graph_data, scripts=scripts, styles=GRAPH_STYLES)
