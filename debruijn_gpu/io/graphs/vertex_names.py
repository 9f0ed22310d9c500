"""Names of vertices in text: printed in blocks on all threads, and checked whether they can be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import ParameterError
from debruijn_gpu.graph.names import Labels, Numbers, OrientedNames, TextNames, VertexNames
from debruijn_gpu.run import progress
from debruijn_gpu.run.parallel import ordered_map
from debruijn_gpu.run.tuning import tuning

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import HostBackend

_LETTERS_AT_ONCE = 1 << 22

#: Vertices in the order in which they are printed, and what stands behind each
Words = tuple[NDArray[np.uint64], NDArray[np.uint8]]


def print_words(
    stream: BinaryIO,
    names: VertexNames,
    ranges: Sequence[tuple[int, int]],
    words: Callable[[int, int], Words],
    separators: Sequence[bytes],
    backend: HostBackend,
    threads: int,
) -> None:
    """Write the words of each range, each followed by the separator that stands behind it."""

    def printed(part: tuple[int, int]) -> NDArray[np.uint8]:
        vertices, behind = words(*part)
        match names:
            case Numbers():
                return backend.text.concatenate_numbers(vertices, behind, separators)
            case Labels():
                return backend.text.concatenate_numbers(names.labels[vertices].astype(np.uint64), behind, separators)
            case TextNames():
                return backend.text.concatenate_names(names.offsets, names.letters, vertices, behind, separators)
        offsets, letters = names.text(vertices)
        return backend.text.concatenate_names(
            offsets, letters, np.arange(len(vertices), dtype=np.uint64), behind, separators
        )

    n_words = len(ranges) * tuning().words_at_once
    for text in progress.through(ordered_map(printed, ranges, threads), n_words, "names", _words):
        stream.write(text.data)


def _words(_: object) -> int:
    """About as many as there are in a range."""
    return tuning().words_at_once


def check_names(names: VertexNames, forbidden: Sequence[bytes], not_first: bytes, file_format: str) -> None:
    """Raise an error if a name, written in some format, would not read as itself: for what it holds or begins with.

    Names that are made of digits, bases and signs always do.

    Raises
    ------
    ParameterError
        That tells the first such name.
    """
    if isinstance(names, OrientedNames):
        names = names.segments
    if not isinstance(names, TextNames):
        return
    starts, ends = names.offsets[:-1], names.offsets[1:]
    _refuse(names, np.flatnonzero(starts == ends), "is empty", file_format)
    firsts, lasts = names.letters[starts], names.letters[ends - 1]
    for letter in b" \t" + not_first:
        _refuse(names, np.flatnonzero(firsts == letter), f"begins with {chr(letter)!r}", file_format)
    for letter in b" \t":
        _refuse(names, np.flatnonzero(lasts == letter), "ends with a blank", file_format)
    for start in range(0, len(names.letters), _LETTERS_AT_ONCE):
        letters = names.letters[start : start + _LETTERS_AT_ONCE + 1]  # one more, for words of two letters
        controls = (letters < 32) & (letters != ord("\t"))
        _refuse(names, _vertices_at(names, start + np.flatnonzero(controls)), "holds a control character", file_format)
        for word in forbidden:
            found = letters == word[0]
            if len(word) == 2:
                found = found[:-1] & (letters[1:] == word[1])
            vertices = _vertices_at(names, start + np.flatnonzero(found))
            if len(word) == 2:  # across two names it does not count
                vertices = vertices[vertices == _vertices_at(names, start + np.flatnonzero(found) + 1)]
            _refuse(names, vertices, f"holds {word.decode()!r}", file_format)


def _vertices_at(names: TextNames, positions: NDArray[np.integer]) -> NDArray[np.intp]:
    """Vertices whose names stand at some positions of the text."""
    return np.searchsorted(names.offsets, positions, "right") - 1


def _refuse(names: TextNames, vertices: NDArray[np.integer], why: str, file_format: str) -> None:
    """Raise an error if there are such vertices."""
    if len(vertices):
        raise ParameterError(
            f"the name {names.name(int(vertices[0]))!r} cannot be written as {file_format}: it {why}",
            "choose npz, which holds any name",
        )
