"""Read the results of an assembly: a directory of `dbg assemble`, of any version, or contigs of any program."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.assembly.statistics import ContigStats, compositions_of_parts, contig_stats
from debruijn_gpu.assembly_dir.contig_table import read_contig_rows
from debruijn_gpu.assembly_dir.directory import PAGE
from debruijn_gpu.assembly_dir.header_depths import stated_depth, stated_read_depth
from debruijn_gpu.assembly_dir.versions import current_keys
from debruijn_gpu.errors import FormatError, InputNotFoundError
from debruijn_gpu.io.fastx.fasta import read_parts
from debruijn_gpu.io.fastx.formats import detect_sequences
from debruijn_gpu.io.fastx.writing import as_printed
from debruijn_gpu.io.gfa.contigs import NamedContigs, read_gfa_contigs
from debruijn_gpu.io.json_reading import parse_json
from debruijn_gpu.io.lines import find_text
from debruijn_gpu.io.opening import read_blocks
from debruijn_gpu.io.reading_again import readable_again
from debruijn_gpu.kmers.spectrum import Spectrum
from debruijn_gpu.run.record import RunRecord, parse_record
from debruijn_gpu.run.tuning import tuning

#: What each file of a directory is for, in the order in which they are told
FILES = {
    "contigs.fasta": "contigs, longest first, with length, k-mer depth, read depth and whether they are circular",
    "contigs.tsv": "table of the contigs: length, GC, depths, copy number, links and dead ends",
    "scaffolds.fasta": "scaffolds, longest first: contigs in order, with estimated gaps as N",
    "scaffolds.agp": "layout of the scaffolds for NCBI (AGP 2.1)",
    "scaffolds.tsv": "table of the scaffolds: strand and position of each contig, gaps as written and estimated",
    "gap_closures.tsv": "table of the gaps that were closed: place in the contig, estimated gap, evidence",
    "breaks.tsv": "table of wrong joins, and places that few pairs span: place in the contig, evidence, whether cut",
    "assembly_graph.gfa": "the whole cleaned graph (GFA 1.0), with a path for each contig",
    "variants.tsv": "variants of the contigs: popped bubbles that are no sequencing errors",
    "variants.gfa": "the contigs with both alleles of each variant (GFA 1.0)",
    PAGE: "this page",
    "report.tsv": "statistics of the contigs in QUAST's rows and names",
    "report.json": "the same for programs, with reads, k, spectrum, evaluation, cleaning, insert sizes and graph",
    "spectrum.hist": "k-mer spectrum in GenomeScope's two columns",
    "params.json": "version and all options that affect the result",
    "general_mqc.json": "columns of MultiQC's table",
    "spectrum_mqc.json": "k-mer spectrum for MultiQC",
    "lengths_mqc.json": "Nx curve for MultiQC",
    "run.json": "record of the run: stages with times and memory, backend, versions, options",
    "dbg.log": "log of the run, with times and memory",
}

#: Contigs in the table of the page
MOST_ROWS = 200

_CIRCULAR = re.compile(r"(?:^|[\s_|])circular=(yes|true|no|false)\b", re.IGNORECASE)
_MOST_OCCURRENCES = 1 << 62  # of all k-mers of a histogram


@dataclass(frozen=True)
class ContigTable:
    """Contigs without their sequences.

    Attributes
    ----------
    names : list of str
    lengths, gc, n_bases : ndarray, dtype=int64, shape=(n,)
        Bases, those that are G or C, and those that are A, C, G or T.
    kmer_depth, read_depth : ndarray, dtype=float64, shape=(n,)
        As stated by headers or tags; NaN where they state none. `AssemblyFiles.depth_name` names the former.
    circular : ndarray, dtype=bool, shape=(n,)
    """

    names: list[str]
    lengths: NDArray[np.int64]
    gc: NDArray[np.int64]
    n_bases: NDArray[np.int64]
    kmer_depth: NDArray[np.float64]
    read_depth: NDArray[np.float64]
    circular: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.names)

    @property
    def gc_percent(self) -> NDArray[np.float64]:
        """Share of G and C among A, C, G and T, shape=(n,); NaN where there are none of these."""
        return 100 * self.gc / np.where(self.n_bases > 0, self.n_bases, np.nan)

    @property
    def order(self) -> NDArray[np.int64]:
        """Places of the contigs from the longest to the shortest."""
        return np.argsort(-self.lengths, kind="stable")

    def stats(self) -> ContigStats:
        return contig_stats(self.lengths, self.gc, self.lengths - self.n_bases)


@dataclass(frozen=True)
class AssemblyFiles:
    """The results of an assembly; None for missing parts.

    Attributes
    ----------
    contigs : ContigTable
    report, params : dict
        Of ``report.json`` and ``params.json``; empty where these are missing.
    spectrum : Spectrum or None
    run : RunRecord or None
    graph : NamedContigs or None
    rows : dict of str to dict
        Of the first `MOST_ROWS` contigs by name: text by column of ``contigs.tsv``; empty where this is missing.
    files : list of str
        Names in `FILES` that the directory holds.
    missing : list of str
        Those of them that the page is made from and that are not there.
    """

    contigs: ContigTable
    report: dict[str, Any]
    params: dict[str, Any]
    spectrum: Spectrum | None
    run: RunRecord | None
    graph: NamedContigs | None
    rows: dict[str, dict[str, str]]
    files: list[str]
    missing: list[str]

    @property
    def name(self) -> str:
        """The name that the user gave the assembly; empty without one."""
        options = self.params.get("assemble")
        given = options.get("name") if isinstance(options, dict) else None
        return given if isinstance(given, str) else ""

    @property
    def depth_name(self) -> str:
        """Name of `ContigTable.kmer_depth` for readers: programs other than ours state depths of several kinds."""
        return "k-mer depth" if self.report else "depth"


def read_directory(path: Path, contigs: ContigTable | None = None, graph: NamedContigs | None = None) -> AssemblyFiles:
    """Read a directory of `dbg assemble`.

    Parameters
    ----------
    path : Path
    contigs : ContigTable or None
        What ``contigs.fasta`` holds (`contig_table`), where that is known: then it is not read.
    graph : NamedContigs or None
        The same of ``assembly_graph.gfa`` (`named_contigs`).

    Raises
    ------
    InputNotFoundError
        If there are no contigs in it.
    FormatError
        If a file in it is not what it should be.
    """
    places = {name: path / name for name in FILES}
    if not places["contigs.fasta"].is_file():
        raise InputNotFoundError(
            f"{path}: holds no contigs.fasta", "name a directory that dbg assemble -o wrote, or a FASTA or GFA file"
        )
    report = current_keys(_read_json(path, places["report.json"]))
    if graph is None and places["assembly_graph.gfa"].is_file():
        graph = read_gfa_contigs(str(places["assembly_graph.gfa"]))
    return AssemblyFiles(
        contigs=read_contig_table(str(places["contigs.fasta"]), empty=True) if contigs is None else contigs,
        report=report,
        params=current_keys(_read_json(path, places["params.json"])),
        spectrum=_read_spectrum(path, places["spectrum.hist"], counted_k(report)),
        run=parse_record(run) if (run := _read_json(path, places["run.json"])) else None,
        graph=graph,
        rows=read_contig_rows(places["contigs.tsv"], MOST_ROWS),
        files=[name for name, place in places.items() if place.is_file() or name == PAGE],
        missing=[name for name, place in places.items() if name in _NEEDED and not place.is_file()],
    )


_NEEDED = ("assembly_graph.gfa", "report.json", "spectrum.hist", "params.json", "run.json")


def read_file(path: str) -> AssemblyFiles:
    """Read contigs of any program, FASTA or GFA; ``-`` is standard input."""
    with readable_again(path, needed=True) as again:
        contigs = read_contig_table(again)
        graph = read_gfa_contigs(again) if _is_gfa(again) else None
    if graph is not None:
        counted = graph.contigs.kmer_counts > 0
        kmer_depth = np.where(counted, graph.contigs.kmer_depth, contigs.kmer_depth)
        contigs = replace(contigs, kmer_depth=kmer_depth, circular=graph.contigs.circular)
    return AssemblyFiles(contigs, {}, {}, None, None, graph, {}, [], [])


def _is_gfa(path: str) -> bool:
    """Whether contigs are a graph; FASTA and one sequence per line are not."""
    with closing(read_blocks(path, tuning().fasta_block_bytes)) as blocks:
        return detect_sequences(path, find_text(blocks), gfa_too=True) is None


def read_contig_table(path: str, empty: bool = False) -> ContigTable:
    """Read lengths, composition and depths of contigs from their sequences and headers."""
    names: list[str] = []
    kmer_depth: list[float] = []
    read_depth: list[float] = []
    circular: list[bool] = []

    def letters() -> Iterator[tuple[bytes, bool]]:
        for part in read_parts(path):
            if part.is_first:
                names.append(part.name)
                kmer_depth.append(stated_depth(part.name, part.description))
                read_depth.append(stated_read_depth(part.description))
                closed = _CIRCULAR.search(part.description)
                circular.append(bool(closed and closed[1].lower() in ("yes", "true")))
            yield part.letters, part.is_first

    found = compositions_of_parts(() if empty and os.path.getsize(path) == 0 else letters())
    return ContigTable(
        names,
        found.lengths_bp,
        found.gc_counts,
        found.lengths_bp - found.n_counts,
        np.array(kmer_depth, np.float64),
        np.array(read_depth, np.float64),
        np.array(circular, np.bool_),
    )


def contig_table(contigs: Contigs, bases_per_kmer: float) -> ContigTable:
    """Build the table that `read_contig_table` reads after `write_fasta` wrote these contigs."""
    found = contigs.compositions
    return ContigTable(
        names=[f"contig_{number}" for number in range(1, len(contigs) + 1)],
        lengths=found.lengths_bp,
        gc=found.gc_counts,
        n_bases=found.lengths_bp - found.n_counts,
        kmer_depth=as_printed(contigs.kmer_depth, 2),
        read_depth=as_printed(bases_per_kmer * contigs.kmer_depth, 2),
        circular=contigs.circular,
    )


def _read_json(directory: Path, place: Path) -> dict[str, Any]:
    if not place.is_file():
        return {}
    try:
        value = parse_json(place.read_bytes())
    except ValueError as error:
        raise FormatError(f"{directory}: {place.name} is not JSON ({error})", _AGAIN) from None
    if not isinstance(value, dict):
        raise FormatError(f"{directory}: {place.name} holds no object", _AGAIN)
    return value


def _read_spectrum(directory: Path, place: Path, k: float | None) -> Spectrum | None:
    if not place.is_file():
        return None
    try:
        rows = np.array([line.split() for line in place.read_text("ascii").splitlines()], np.int64).reshape(-1, 2)
    except (ValueError, UnicodeDecodeError, OverflowError):
        raise FormatError(f"{directory}: {place.name} does not hold two columns of numbers", _AGAIN) from None
    if np.any(rows < 1) or np.any(np.diff(rows[:, 0]) <= 0):
        raise FormatError(f"{directory}: {place.name} is not a histogram in ascending order", _AGAIN)
    if float(rows[:, 0].astype(np.float64) @ rows[:, 1]) >= _MOST_OCCURRENCES:
        raise FormatError(f"{directory}: {place.name}: more than 2^62 occurrences of k-mers", _AGAIN)
    return Spectrum(max(1, int(k or 1)), rows[:, 0], rows[:, 1])  # k bears on error rates alone, which are not shown


_AGAIN = "assemble again, or remove the file to do without it"


def number(report: dict[str, Any], *keys: str) -> float | None:
    """A number within a report, None if it is not there."""
    value: Any = report
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def counted_k(report: dict[str, Any]) -> float | None:
    """The k of the k-mer spectrum: the first of several k; None if it is not there."""
    return number(report, "spectrum", "k") or number(report, "k", "k")
