"""Names of the vertices of a graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.alphabet import BASES, BASES_PER_WORD
from debruijn_gpu.kmers.table import kmer_text

#: What a word of no letters is called: the only vertex of B(k, 1)
EMPTY_WORD = "ε"

_MOST_DIGITS = 18  # of a vertex: fewer than 10^18 fit into any memory

#: Words one after another: offsets (int64, n + 1; word i is ``letters[offsets[i]:offsets[i + 1]]``) and letters (uint8)
Text = tuple[NDArray[np.int64], NDArray[np.uint8]]


class VertexNames(Protocol):
    """Names by the number of a vertex, and back."""

    def name(self, vertex: int) -> str:
        """Return the name of a vertex."""

    def number(self, name: str) -> int:
        """The vertex of that name; KeyError if there is none."""

    def text(self, vertices: NDArray[np.integer]) -> Text:
        """Names of many vertices: name i is ``text[offsets[i]:offsets[i + 1]]``, in UTF-8.

        Returns
        -------
        offsets : ndarray, dtype=int64, shape=(n + 1,)
        text : ndarray, dtype=uint8
        """


@dataclass(frozen=True)
class Numbers:
    """Vertex 17 is called 17."""

    def name(self, vertex: int) -> str:
        return str(vertex)

    def number(self, name: str) -> int:
        if is_number(name):
            return int(name)
        raise KeyError(name)

    def text(self, vertices: NDArray[np.integer]) -> Text:
        lines = backends.host().text.number_lines((vertices,), b"\n", 0, len(vertices))
        ends = np.flatnonzero(lines == ord("\n"))
        return np.append(np.int64(0), ends - np.arange(len(ends))), lines[lines != ord("\n")]


NUMBERS = Numbers()


def is_number(name: str) -> bool:
    """Whether a name is a vertex number in canonical form: ASCII digits without leading zeros."""
    return name.isascii() and name.isdigit() and (name == "0" or name[0] != "0") and len(name) <= _MOST_DIGITS


@dataclass(frozen=True, eq=False)
class Labels:
    """Vertices are called by numbers other than their own.

    Attributes
    ----------
    labels : ndarray, dtype=int64, shape=(n_vertices,)
        Number that each vertex is called by; ascending.
    """

    labels: NDArray[np.int64]

    def name(self, vertex: int) -> str:
        return str(self.labels[vertex])

    def number(self, name: str) -> int:
        if is_number(name):
            vertex = int(np.searchsorted(self.labels, int(name)))
            if vertex < len(self.labels) and self.labels[vertex] == int(name):
                return vertex
        raise KeyError(name)

    def text(self, vertices: NDArray[np.integer]) -> Text:
        return NUMBERS.text(self.labels[vertices])


@dataclass(frozen=True, eq=False)
class TextNames:
    """Any names, one after another. An index of some 12 bytes a name is made when a vertex is first looked up.

    Attributes
    ----------
    offsets : ndarray, dtype=int64, shape=(n_vertices + 1,)
        Vertex v is called ``letters[offsets[v]:offsets[v + 1]]``.
    letters : ndarray, dtype=uint8
        UTF-8.
    """

    offsets: NDArray[np.int64]
    letters: NDArray[np.uint8]

    @staticmethod
    def of(names: Iterable[str]) -> TextNames:
        """Names from strings."""
        words = [name.encode() for name in names]
        offsets = np.cumsum([0, *map(len, words)], dtype=np.int64)
        return TextNames(offsets, np.frombuffer(bytearray().join(words), np.uint8))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def name(self, vertex: int) -> str:
        return self.letters[self.offsets[vertex] : self.offsets[vertex + 1]].tobytes().decode()

    @cached_property
    def _index(self) -> NDArray[np.uint64]:
        return backends.host().text.index_names(self.offsets, self.letters)

    def number(self, name: str) -> int:
        word = np.frombuffer(name.encode(errors="surrogatepass"), np.uint8)
        vertex = backends.host().text.find_name(self._index, self.offsets, self.letters, word)
        if vertex < 0:
            raise KeyError(name)
        return vertex

    def text(self, vertices: NDArray[np.integer]) -> Text:
        return backends.host().text.gather_names(self.offsets, self.letters, vertices)


@dataclass(frozen=True, eq=False)
class KmerNames:
    """Vertices are called by sequences of one length.

    Attributes
    ----------
    codes : ndarray, dtype=uint64, shape=(ceil(k / 32), n_vertices)
        Two-bit codes as in `KmerTable`; sorted, unique.
    k : int
        Their length; 0 if there is at most one vertex, which is called `EMPTY_WORD`.
    """

    codes: NDArray[np.uint64]
    k: int

    def name(self, vertex: int) -> str:
        return kmer_text(self.codes[:, vertex], self.k) or EMPTY_WORD

    def number(self, name: str) -> int:
        if self.k == 0:
            if name != EMPTY_WORD or not self.codes.shape[1]:
                raise KeyError(name)
            return 0
        if len(name) != self.k or set(name.encode(errors="replace")) - set(BASES):
            raise KeyError(name)
        value = 0
        for base in name.encode():
            value = value << 2 | BASES.index(base)
        first, last = 0, self.codes.shape[1]
        for i, row in enumerate(self.codes):
            word = np.uint64(value >> 64 * (len(self.codes) - 1 - i) & (1 << 64) - 1)
            within = row[first:last]
            first, last = (
                first + int(np.searchsorted(within, word)),
                first + int(np.searchsorted(within, word, "right")),
            )
        if first == last:
            raise KeyError(name)
        return first

    def text(self, vertices: NDArray[np.integer]) -> Text:
        if self.k == 0:
            return TextNames.of([EMPTY_WORD]).text(np.zeros(len(vertices), np.int64))
        codes = self.codes[:, vertices]
        letters = np.empty((len(vertices), self.k), np.uint8)
        bases = np.frombuffer(BASES, np.uint8)
        for i in range(self.k):
            from_end = self.k - 1 - i
            word = codes[len(codes) - 1 - from_end // BASES_PER_WORD]
            letters[:, i] = bases[word >> np.uint64(2 * (from_end % BASES_PER_WORD)) & np.uint64(3)]
        return np.arange(len(vertices) + 1, dtype=np.int64) * self.k, letters.reshape(-1)


@dataclass(frozen=True)
class WordNames:
    """Vertices are all words of one length over an alphabet, in the order of the dictionary: B(k, n)'s.

    Attributes
    ----------
    symbols : tuple of str
        The letters, each of one character, no two the same.
    length : int
        Of the words.
    """

    symbols: Sequence[str]
    length: int

    def name(self, vertex: int) -> str:
        word = ""
        for _ in range(self.length):
            vertex, digit = divmod(vertex, len(self.symbols))
            word = self.symbols[digit] + word
        return word or EMPTY_WORD

    def number(self, name: str) -> int:
        if self.length == 0 and name == EMPTY_WORD:
            return 0
        vertex, index = 0, {symbol: digit for digit, symbol in enumerate(self.symbols)}
        if len(name) != self.length or not set(name) <= set(index):
            raise KeyError(name)
        for symbol in name:
            vertex = vertex * len(self.symbols) + index[symbol]
        return vertex

    def text(self, vertices: NDArray[np.integer]) -> Text:
        alphabet = TextNames.of(self.symbols if self.length else [EMPTY_WORD])
        rest = vertices.astype(np.uint64)
        digits = np.zeros((len(vertices), max(1, self.length)), np.int64)
        for i in reversed(range(self.length)):
            rest, digits[:, i] = np.divmod(rest, np.uint64(len(self.symbols)))
        offsets, letters = alphabet.text(digits.reshape(-1))
        return np.ascontiguousarray(offsets[:: digits.shape[1]]), letters


@dataclass(frozen=True, eq=False)
class OrientedNames:
    """Vertex 2i is segment i of an assembly graph read forward, called by its name and +, and 2i + 1 backward, with -.

    Attributes
    ----------
    segments : TextNames
    gfa : ndarray, dtype=uint8, or None
        Lines of segments, links, paths and jumps of the GFA file, from which they are written again.
    """

    segments: TextNames
    gfa: NDArray[np.uint8] | None = None

    def name(self, vertex: int) -> str:
        return self.segments.name(vertex >> 1) + "+-"[vertex & 1]

    def number(self, name: str) -> int:
        if name[-1:] not in ("+", "-"):
            raise KeyError(name)
        return 2 * self.segments.number(name[:-1]) + (name[-1] == "-")

    def text(self, vertices: NDArray[np.integer]) -> Text:
        numbers = vertices.astype(np.int64)
        offsets, letters = self.segments.text(numbers >> 1)
        signs = np.where(numbers & 1, np.uint8(ord("-")), np.uint8(ord("+")))
        return offsets + np.arange(len(offsets)), np.insert(letters, offsets[1:], signs)
