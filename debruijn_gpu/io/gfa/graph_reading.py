"""Read assembly graphs (GFA 1), and unitigs with links in their headers, as `Graph`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import FormatError
from debruijn_gpu.graph.build import graph_from_edges
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.names import OrientedNames, TextNames
from debruijn_gpu.io.gfa.files import number_lines, read_records
from debruijn_gpu.io.gfa.unitig_headers import gfa_lines
from debruijn_gpu.io.lines import whole_lines
from debruijn_gpu.io.opening import Block, display_name
from debruijn_gpu.io.reading_again import check_size, longest_line
from debruijn_gpu.run import log
from debruijn_gpu.run.plain_text import counted, shorten

#: Of a line, and of a step of a path, as Python objects, about; the latter `COPIES` times
_RECORD_BYTES, _STEP_BYTES = 200, 20


def read_gfa(
    path: str, blocks: Iterable[Block], first_line: int, keep_text: bool, n_bytes_allowed: int | None
) -> Graph:
    """Read segments (S), links (L), paths (P) and jumps (J); lines of other types are skipped.

    Segment i, in the order of the S lines, is vertex 2i forward (``name+``) and 2i + 1 reverse-complemented
    (``name-``). A link a -> b is an edge, and its reverse complement b' -> a' is one, too. A repeated link, also with
    another overlap, counts once, with a warning.

    Parameters
    ----------
    path : str
        For messages.
    blocks : iterable of Block
    first_line : int
        Number of the first line of the blocks.
    keep_text : bool
        Whether `OrientedNames.gfa` holds the lines of these types, for `graphs.write_gfa_graph`.
    n_bytes_allowed : int or None

    Raises
    ------
    FormatError
        With file and line.
    OutOfMemoryError
    """
    numbered = _numbered(path, blocks, first_line, n_bytes_allowed)
    return _read_lines(display_name(path), numbered, keep_text, n_bytes_allowed)


def read_unitigs(
    path: str, blocks: Iterable[Block], first_line: int, keep_text: bool, n_bytes_allowed: int | None
) -> Graph:
    """Read FASTA of unitigs with links in their headers, see `unitig_headers`; otherwise as `read_gfa`."""
    source = display_name(path)
    numbered = _numbered(path, blocks, first_line, n_bytes_allowed)
    lines = enumerate(gfa_lines(source, numbered, n_bytes_allowed), 1)
    return _read_lines(f"{source} as GFA", lines, keep_text, n_bytes_allowed)


def _numbered(
    path: str, blocks: Iterable[Block], first_line: int, n_bytes_allowed: int | None
) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a text."""
    texts = whole_lines(blocks, display_name(path), longest_line(n_bytes_allowed))
    return number_lines(chain.from_iterable(map(_split, texts)), first_line)


def _read_lines(
    source: str, numbered: Iterable[tuple[int, bytes]], keep_text: bool, n_bytes_allowed: int | None
) -> Graph:
    """Read lines of GFA; see `read_gfa`."""
    kept = list[bytes]()
    lines = _collected(numbered, kept if keep_text else None, n_bytes_allowed)
    records = read_records(source, lines, keep_sequences=False)
    text = np.frombuffer(b"".join(kept), np.uint8) if keep_text else None
    return _graph(source, [segment.name for segment in records.segments], records.links.pairs(), text)


def _collected(
    lines: Iterable[tuple[int, bytes]], kept: list[bytes] | None, n_bytes_allowed: int | None
) -> Iterator[tuple[int, bytes]]:
    """Pass lines through, and append those of segments, links, paths and jumps to a list."""
    n_bytes = 0
    for number, line in lines:
        if line[:2] in (b"S\t", b"L\t", b"P\t", b"J\t"):
            n_bytes += _RECORD_BYTES + (_STEP_BYTES * line.count(b",") if line.startswith(b"P") else 0)
            if kept is not None:
                kept.append(line + b"\n")
                n_bytes += len(line)
            check_size(n_bytes, n_bytes_allowed)
        yield number, line


def _split(text: NDArray[np.uint8]) -> list[bytes]:
    """The lines of a text that ends with a line."""
    return text.tobytes().removesuffix(b"\n").split(b"\n")


def _graph(source: str, names: list[bytes], links: NDArray[np.int64], text: NDArray[np.uint8] | None) -> Graph:
    n_vertices = 2 * len(names)
    in_order = np.array([max(n_vertices, 1), 1])
    n_repeated = len(links) - len(np.unique(links @ in_order))
    if n_repeated:
        shown = counted(n_repeated, "parallel link") + (" is" if n_repeated == 1 else " are")
        log.logger.warning("%s: %s left out: a link counts once", source, shown)
    numbers = np.concatenate((links, links[:, ::-1] ^ 1)) @ in_order
    tails, heads = np.divmod(np.unique(numbers, return_index=True)[0], max(n_vertices, 1))
    try:
        called = TextNames.of(name.decode() for name in names)
    except UnicodeDecodeError as error:
        raise FormatError(f"{source}: the name {shorten(error.object)} is not UTF-8", "save it as UTF-8") from error
    return graph_from_edges(tails, heads, n_vertices, OrientedNames(called, text))
