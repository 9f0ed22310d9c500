"""De Bruijn graphs of all words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from debruijn_gpu import backends
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.names import NUMBERS, VertexNames, WordNames

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import GraphBackend

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def de_bruijn_graph(alphabet: str | int, n: int, backend: GraphBackend | None = None) -> Graph:
    """The de Bruijn graph B(k, n): vertices are the words of n - 1 letters, edges those of n.

    Vertices and edges are numbered in the order of the dictionary; edge w leads from the first n - 1 letters of word w
    to its last.

    Parameters
    ----------
    alphabet : str or int
        Its letters, or their number k: then they are the digits, up to 10 of them, or the letters 0-9a-z, up to 36;
        with more, vertices are called by their numbers.
    n : int
    backend : GraphBackend, optional
        Makes the graph, in its arrays; by default the CPU.

    Raises
    ------
    ParameterError
        If there is no such graph, or it would have 2^63 edges or more.
    """
    if n < 1:
        raise ParameterError(f"words of {n} letters", "give a length of 1 or more")
    k = _n_letters(alphabet)
    if k**n >= 1 << 63:
        raise ParameterError(f"there are {k}^{n} words, 2^63 or more", "choose shorter words or a smaller alphabet")
    letters = _DIGITS[:k] if isinstance(alphabet, int) else alphabet
    names: VertexNames = WordNames(tuple(letters), n - 1) if len(letters) == k else NUMBERS
    return Graph(*(backend or backends.host()).graphs.de_bruijn_edges(k, k ** (n - 1)), names)


def _n_letters(alphabet: str | int) -> int:
    if isinstance(alphabet, int):
        if alphabet < 1:
            raise ParameterError(f"an alphabet of {alphabet} letters", "give 1 or more, or the letters themselves")
        return alphabet
    if not alphabet or len(set(alphabet)) < len(alphabet):
        raise ParameterError(f"the alphabet {alphabet!r} is empty or has a letter twice", "give each letter once")
    return len(alphabet)
