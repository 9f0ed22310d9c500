"""Read and write graphs in any format, or from the k-mers of reads."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from debruijn_gpu.errors import ParameterError
from debruijn_gpu.graph.build import vector_of, with_both_directions
from debruijn_gpu.graph.de_bruijn import edge_centric
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.io.fastx.reads import expected_bases, read_batches
from debruijn_gpu.io.gfa.graph_reading import read_gfa, read_unitigs
from debruijn_gpu.io.gfa.graphs import write_gfa_graph
from debruijn_gpu.io.graphs import arrays, directories, saved
from debruijn_gpu.io.graphs.exchange import write_dot, write_graphml, write_node_link
from debruijn_gpu.io.graphs.formats import BYTE_ORDER_MARK, COMMENTS, N_LINES, check_text, detect_format, records_of
from debruijn_gpu.io.graphs.overlaps import overlap_graph_of_kmers, overlap_graph_of_strings
from debruijn_gpu.io.graphs.printing import write_edges, write_rows
from debruijn_gpu.io.graphs.text import read_rows
from debruijn_gpu.io.lines import TextStart, find_text
from debruijn_gpu.io.numbers.arrays import BlockStream
from debruijn_gpu.io.numbers.npy_reading import NPY_MAGIC
from debruijn_gpu.io.opening import STANDARD_INPUT, display_name, read_blocks
from debruijn_gpu.io.output import open_output
from debruijn_gpu.kmers.count import count_kmers, warn_of_no_kmers
from debruijn_gpu.kmers.options import CountOptions
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run import log
from debruijn_gpu.run.file_formats import formats_of
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import memory_left

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import HostBackend
    from debruijn_gpu.graph.options import GraphInputOptions
    from debruijn_gpu.run.options import RunOptions


def graph_of_reads(path: str, options: GraphInputOptions, run: RunOptions, backend: HostBackend) -> Graph:
    """The edge-centric de Bruijn graph of a FASTA or FASTQ file, whose vertices are (k-1)-mers and edges k-mers.

    Or, with an overlap, the overlap graph of its k-mers.

    Parameters
    ----------
    path : str
    options : GraphInputOptions
        Its ``k`` is not None.
    run : RunOptions
    backend : Backend
    """
    assert options.k is not None
    inputs = ReadInputs(single=(path,))
    counting = CountOptions(k=options.k, canonical=options.canonical, min_count=options.min_count)
    batches = read_batches(inputs, backend, threads=run.threads, memory=run.memory)
    counted = count_kmers(batches, counting, run, backend, n_bases_expected=expected_bases(inputs))
    table = counted.table
    assert table is not None
    warn_of_no_kmers(counted, options.k, "graph")
    if counted.n_kmers and not len(table):
        log.logger.warning("no %d-mer occurs %d times: the graph is empty", options.k, options.min_count)
    if options.overlap is not None:
        return overlap_graph_of_kmers(table, options, run, backend)
    with log.stage("graph of k-mers") as stage:
        graph = edge_centric(table, table.counts if options.multiplicity else None, backend).graph
        stage.items, stage.unit = graph.n_edges, "edges"
    return graph


#: Text or bytes read at once
BLOCK_BYTES = 8 << 20

_NPZ_MAGIC = b"PK\x03\x04"


def read_graph(
    path: str, options: GraphInputOptions, run: RunOptions, backend: HostBackend, block_bytes: int = BLOCK_BYTES
) -> Graph:
    """Read a graph from a file of any format, which is auto-detected.

    Parameters
    ----------
    path : str
        A file, ``-`` for standard input, or a directory that `save_graph` made.
    options : GraphInputOptions
    run : RunOptions
        Threads and memory.
    backend : Backend
        Parses text.
    block_bytes : int
        What is read at once.

    Returns
    -------
    Graph
        Of NumPy arrays.

    Raises
    ------
    InputNotFoundError, FileAccessError
        If the file is not there or cannot be read.
    FormatError
        If its content is not as it should be.
    OutOfMemoryError
        If it takes more than is allowed.
    ParameterError
        If the file states a number of vertices, and another one is requested.
    """
    if options.k is not None:
        graph = graph_of_reads(path, options, run, backend)
    elif options.overlap is not None:
        graph = overlap_graph_of_strings(path, options, run, backend)
    else:
        with log.stage("read", unit="edges") as stage:
            graph = _read(path, options, run, backend, block_bytes)
            stage.items = graph.n_edges
    if options.n_vertices not in (None, graph.n_vertices):
        raise ParameterError(
            f"{display_name(path)}: {graph.n_vertices:,} vertices, but --n-vertices {options.n_vertices}",
            "leave --n-vertices out",
        )
    if options.undirected:
        graph = with_both_directions(graph)
    return graph.reverse if options.reverse else graph


def _read(path: str, options: GraphInputOptions, run: RunOptions, backend: HostBackend, block_bytes: int) -> Graph:
    if os.path.isdir(path):
        return saved.read_directory(Path(path))
    allowed, name = memory_left(run.memory), display_name(path)
    with closing(read_blocks(path, block_bytes, may_be_empty=True)) as blocks:
        start = find_text(blocks, is_enough=lambda head: len(head) >= len(NPY_MAGIC))
        if start.head.startswith(NPY_MAGIC):
            return arrays.read_npy_graph(name, BlockStream(start.blocks), options.n_vertices, allowed)
        if start.head.startswith(_NPZ_MAGIC):
            seekable = path if path != STANDARD_INPUT and _begins(path, _NPZ_MAGIC) else None
            return arrays.read_npz_graph(name, seekable, BlockStream(start.blocks), options.n_vertices, allowed)
        return _read_text(path, start, options, run, backend, allowed)


def _begins(path: str, magic: bytes) -> bool:
    """Whether a file can be opened once more and is not compressed."""
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(len(magic)) == magic


def _read_text(
    path: str, text: TextStart, options: GraphInputOptions, run: RunOptions, backend: HostBackend, allowed: int
) -> Graph:
    """The graph of a text."""
    check_text(path, text.head)
    skipped = text.n_lines
    if text.head.startswith(BYTE_ORDER_MARK):
        text = text.without(len(BYTE_ORDER_MARK))
    text = find_text(text.blocks, COMMENTS, lambda head: len(list(records_of(head))) == N_LINES)
    file_format = detect_format(path, text.head, skipped + text.n_lines)
    whole = text.without(file_format.n_skipped).blocks
    if file_format.rows is None:
        read = read_unitigs if file_format.are_unitigs else read_gfa
        return read(path, whole, file_format.first_line, options.keep_gfa, allowed)
    arrays.check_vertices(display_name(path), options.n_vertices or 0, allowed)
    rows, first_line, header = file_format.rows, file_format.first_line, file_format.header
    return read_rows(path, whole, rows, first_line, options.n_vertices, backend, run.n_threads, allowed, header)


def write_graph(stream: BinaryIO, graph: Graph, file_format: str, backend: HostBackend, threads: int = 1) -> None:
    """Write a graph in one of `GRAPH_FORMATS`, ``directory`` excepted, which `save_graph` writes.

    ``text`` is a line ``a -> b, c`` for each vertex; ``tsv`` and ``csv`` are one edge per line with its weight, if any;
    ``npy`` is tail and head of each edge; ``vector`` the only head of each vertex (.npy); ``npz`` holds all
    that the graph is; ``csr`` and ``coo`` are sparse matrices as `scipy.sparse.save_npz` writes them; ``gfa`` is
    segments and links, with the sequences, overlaps, tags and paths of the GFA file that the graph was read from;
    ``dot``, ``graphml`` and ``json`` (node-link) are for other programs.

    Raises
    ------
    ParameterError
        If the format cannot hold the graph: names with separators in them, a vector of several edges per vertex.
    """
    host = graph.on_host()
    if host.weights is not None and file_format in ("text", "npy", "vector", "gfa"):
        log.logger.warning("%s has no room for weights: they are left out", file_format)
    match file_format:
        case "text":
            write_rows(stream, host, backend, threads)
        case "tsv" | "csv":
            write_edges(stream, host, b"\t" if file_format == "tsv" else b",", backend, threads)
        case "npy":
            arrays.write_npy_edges(stream, host)
        case "vector":
            arrays.write_npy(stream, vector_of(host))
        case "npz":
            saved.write_npz_graph(stream, host)
        case "csr" | "coo":
            arrays.write_matrix(stream, host, file_format)
        case "gfa":
            write_gfa_graph(stream, host)
        case "dot":
            write_dot(stream, host, backend, threads)
        case "graphml":
            write_graphml(stream, host, backend, threads)
        case "json":
            write_node_link(stream, host, backend, threads)
        case _:
            raise ValueError(f"no graph format: {file_format}")


def save_graph(path: Path | str, graph: Graph) -> None:
    """Save all that a graph is: as one file if the path ends in ``.npz`` (or ``.npz.gz``), else as a directory.

    `read_graph` reads both, the directory by mapping it into memory.
    """
    if "npz" in formats_of(str(path)):
        with open_output(path) as stream:
            saved.write_npz_graph(stream, graph.on_host())
    else:
        directories.write_directory(Path(path), graph.on_host())
