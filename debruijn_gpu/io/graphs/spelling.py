"""Write the sequences that walks spell, through vertices that are words which overlap."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import ParameterError

if TYPE_CHECKING:
    from debruijn_gpu.graph.graph import Graph, Walks

_VERTICES_AT_ONCE = 1 << 18


def write_spelled(stream: BinaryIO, graph: Graph, walks: Walks) -> None:
    """Write a line for each walk: the name of its first vertex, and the last letter of each further one.

    Walks without steps are left out. The sequence of a circuit ends with the name of the vertex where it began.

    Parameters
    ----------
    stream : BinaryIO
    graph : Graph
        In NumPy arrays. Names are words of one length, and each but its first letter begins those of its successors.
    walks : Walks
        Steps are edge ids.

    Raises
    ------
    ParameterError
        If names are no such words.
    """
    for begin, end in zip(walks.offsets[:-1].tolist(), walks.offsets[1:].tolist(), strict=True):
        if begin == end:
            continue
        for start in range(begin, end, _VERTICES_AT_ONCE):
            steps = walks.steps[start : min(start + _VERTICES_AT_ONCE, end)].astype(np.int64)
            words = _words(graph, steps)
            if start == begin:
                stream.write(words[0].tobytes())
            stream.write(words[1:, -1].tobytes())
        stream.write(b"\n")


def _words(graph: Graph, steps: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Names of the vertices along consecutive edges, as rows of letters."""
    tail = int(np.searchsorted(graph.row_ptr, steps[0], side="right")) - 1
    offsets, letters = graph.names.text(np.concatenate(([tail], graph.col[steps].astype(np.int64))))
    lengths = np.diff(offsets)
    if lengths[0] and (lengths == lengths[0]).all():
        words = letters.reshape(len(lengths), int(lengths[0]))
        if np.array_equal(words[:-1, 1:], words[1:, :-1]):
            return words
    raise ParameterError(
        "--format sequence: the names of consecutive vertices do not overlap by all but one letter",
        "give the graph of k-mers (-k), or vertices that are words of one length",
    )
