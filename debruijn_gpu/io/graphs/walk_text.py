"""Walks as lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.walks import Walks
from debruijn_gpu.io.graphs.vertex_names import Words, print_words
from debruijn_gpu.run.tuning import tuning

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import HostBackend


def write_walks(
    stream: BinaryIO, graph: Graph, walks: Walks, backend: HostBackend, separator: str = " -> ", threads: int = 1
) -> None:
    """Write a line for each walk: its vertices, one more than it has edges; a circuit ends where it began.

    Parameters
    ----------
    stream : BinaryIO
    graph : Graph
    walks : Walks
        Steps are edge ids; walks without steps are left out.
    backend : Backend
        Prints.
    separator : str
        Between vertices.
    threads : int
    """
    n_steps = int(walks.offsets[-1])
    ranges = [(at, min(at + tuning().words_at_once, n_steps)) for at in range(0, n_steps, tuning().words_at_once)]

    def words(start: int, stop: int) -> Words:
        return backend.text.walk_words(graph.row_ptr, graph.col, walks.offsets, walks.steps, start, stop)

    print_words(stream, graph.names, ranges, words, [b"\n", separator.encode()], backend, threads)
