"""Read strings, or the k-mers of reads, as an overlap graph."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.errors import FormatError, OutOfMemoryError
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.names import KmerNames, TextNames, VertexNames
from debruijn_gpu.graph.overlaps import (
    BYTES_PER_EDGE,
    StringEnds,
    concatenate_ends,
    ends_of_kmers,
    ends_of_packed,
    overlap_graph,
)
from debruijn_gpu.io.fastx.reads import read_texts
from debruijn_gpu.io.opening import display_name
from debruijn_gpu.io.reading_again import check_size
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run import log
from debruijn_gpu.run.plain_text import shorten
from debruijn_gpu.run.resources import format_bytes, memory_left

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import HostBackend
    from debruijn_gpu.graph.options import GraphInputOptions
    from debruijn_gpu.io.fastx.records import TextReads
    from debruijn_gpu.kmers.table import KmerTable
    from debruijn_gpu.run.options import RunOptions

_OBJECT_BYTES = 100  # of a name as a Python object, about


def overlap_graph_of_strings(path: str, options: GraphInputOptions, run: RunOptions, backend: HostBackend) -> Graph:
    """The overlap graph of the records of FASTA or FASTQ, called by their names, or of plain sequences, by themselves.

    Plain sequences that occur several times are one vertex. Overlaps are those of forward strands, and do not hold
    ambiguous bases.

    Parameters
    ----------
    path : str
    options : GraphInputOptions
        Its ``overlap`` is not None.
    run : RunOptions
    backend : HostBackend

    Raises
    ------
    FormatError
        If two records have one name.
    """
    assert options.overlap is not None
    allowed = memory_left(run.memory)
    found = _Strings(options.overlap, allowed)
    with log.stage("read", unit="strings") as stage:
        texts = read_texts(ReadInputs(single=(path,)), backend, threads=run.threads, memory=run.memory)
        with closing(texts):
            for reads, _mates in texts:
                found.add(reads)
        ends, names = found.result(display_name(path))
        stage.items = len(ends)
    return _graph(ends, names, options, allowed, backend)


def overlap_graph_of_kmers(
    table: KmerTable, options: GraphInputOptions, run: RunOptions, backend: HostBackend
) -> Graph:
    """The overlap graph of the k-mers of a table; a canonical one stands for both orientations of each.

    Parameters
    ----------
    table : KmerTable
        In NumPy arrays.
    options, run, backend
        See `overlap_graph_of_strings`.
    """
    assert options.overlap is not None
    codes = table.codes
    if table.canonical:
        codes = backend.kmers.both_strands(codes, table.k)
        codes = codes[:, backend.arrays.order_by(list(codes))]
        is_first = np.ones(codes.shape[1], np.bool_)
        is_first[1:] = (codes[:, 1:] != codes[:, :-1]).any(axis=0)  # k-mers that are their own reverse complement
        codes = np.ascontiguousarray(codes[:, is_first])
    names: VertexNames = KmerNames(codes, table.k)
    if options.overlap != table.k - 1:  # by which vertices that are k-mers overlap where the graph is written as GFA
        names = TextNames(*names.text(np.arange(codes.shape[1])))
    return _graph(ends_of_kmers(codes, table.k, options.overlap), names, options, memory_left(run.memory), backend)


def _graph(
    ends: StringEnds, names: VertexNames, options: GraphInputOptions, allowed: int | None, backend: HostBackend
) -> Graph:
    """Build the graph, and warn if no string is long enough."""

    def check_memory(n_edges: int) -> None:
        if allowed is not None and n_edges * BYTES_PER_EDGE > allowed:
            raise OutOfMemoryError(
                f"Out of memory: {n_edges:,} overlaps take about {format_bytes(n_edges * BYTES_PER_EDGE)}, "
                f"and {format_bytes(allowed)} are left for them",
                "allow more (-m), or ask for longer overlaps (--overlap)",
            )

    if len(ends) and not (ends.has_start | ends.has_end).any():
        log.logger.warning("no string has %s known bases at an end: there are no edges", options.overlap)
    with log.stage("overlaps", unit="edges") as stage:
        graph = overlap_graph(ends, backend, options.loops, names, check_memory)
        stage.items = graph.n_edges
    return graph


class _Strings:
    """Ends and names of the strings read so far."""

    def __init__(self, n_bases: int, n_bytes_allowed: int | None) -> None:
        self._n_bases = n_bases
        self._allowed = n_bytes_allowed
        self._ends: list[StringEnds] = []
        self._names: list[bytes] = []
        self._unnamed: dict[int, bytes] = {}  # sequences, by number
        self._n_bytes = 0

    def add(self, reads: TextReads) -> None:
        """Add the records of a text."""
        parsed = reads.parsed
        ends = ends_of_packed(parsed.bases, parsed.offsets, parsed.ambiguous_positions, self._n_bases)
        n_before = len(self._names)
        text = reads.text.tobytes()
        spans = backends.host().text.name_spans(reads.text, parsed.starts).tolist()
        names = [text[start:end] for start, end in zip(spans[::2], spans[1::2], strict=True)]
        n_letters = sum(map(len, names))
        if b"" in names:
            bounds = [*parsed.starts.tolist(), parsed.n_consumed]
            for i, name in enumerate(names):
                if not name:
                    _header, _, sequence = text[bounds[i] : bounds[i + 1]].partition(b"\n")
                    self._unnamed[n_before + i] = b"".join(sequence.split()).upper()
                    n_letters += len(sequence)
        self._ends.append(ends)
        self._names += names
        self._n_bytes += ends.starts.nbytes + ends.ends.nbytes + _OBJECT_BYTES * len(names) + n_letters
        check_size(self._n_bytes, self._allowed)

    def result(self, source: str) -> tuple[StringEnds, VertexNames]:
        """Return the ends of distinct strings and their names."""
        ends = concatenate_ends(self._ends)
        self._ends = []
        if len(self._unnamed) == len(self._names):
            number = {sequence: i for i, sequence in reversed(self._unnamed.items())}
            if len(number) < len(ends):
                log.logger.info("  %s sequences, %s of them distinct", f"{len(ends):,}", f"{len(number):,}")
            rows = np.array(sorted(number.values()), np.int64)
            return ends.taken(rows), _text_names([self._unnamed[i] for i in rows.tolist()])
        names = [name or b"sequence_%d" % (i + 1) for i, name in enumerate(self._names)]
        if len(set(names)) < len(names):
            raise _twice(source, names)
        _check_utf8(source, names)
        return ends, _text_names(names)


def _twice(source: str, names: list[bytes]) -> FormatError:
    """Error for the first name that a second record has."""
    seen: dict[bytes, int] = {}
    for i, name in enumerate(names):
        first = seen.setdefault(name, i)
        if first != i:
            return FormatError(
                f"{source}: expected distinct names, got {shorten(name)} in records {first + 1:,} and {i + 1:,}",
                "rename them (seqkit rename), or give plain sequences, one per line",
            )
    raise AssertionError


def _check_utf8(source: str, names: list[bytes]) -> None:
    """Raise an error for the first name that is not UTF-8."""
    try:
        b"\n".join(names).decode()
    except UnicodeDecodeError as error:
        name = error.object[: error.end].split(b"\n")[-1]
        raise FormatError(f"{source}: the name {shorten(name)} is not UTF-8", "save it as UTF-8") from error


def _text_names(words: list[bytes]) -> TextNames:
    """Names from words of UTF-8."""
    offsets: NDArray[np.int64] = np.cumsum([0, *map(len, words)], dtype=np.int64)
    return TextNames(offsets, np.frombuffer(b"".join(words), np.uint8))
