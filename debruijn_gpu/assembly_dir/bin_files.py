"""Files of a directory of bins: FASTA of each bin, table of the contigs, table of the bins."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.statistics import nx_lx
from debruijn_gpu.assembly_dir.directory import LOG, PARAMS, RUN, OutputDirectory
from debruijn_gpu.assembly_dir.writing import params_json
from debruijn_gpu.binning.bins import UNBINNED, Binning
from debruijn_gpu.binning.features import Contigs
from debruijn_gpu.binning.options import BinOptions
from debruijn_gpu.io.tables import to_json
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.plain_text import one_line
from debruijn_gpu.run.record import RunRecord, describe_host, describe_versions

#: Results of `dbg bin`, beside the FASTA file of each bin
BIN_RESULTS = ("unbinned.fasta", "bins.tsv", "contigs.tsv", "report.html", LOG, RUN, PARAMS)
BIN_NAMES = re.compile(r"bin_[1-9][0-9]*\.fasta", re.ASCII)

_LETTERS = np.frombuffer(b"ACGTN", np.uint8)
_LINE_BP = 80


def bin_name(number: int) -> str:
    """Return the name of a bin, or ``unbinned``."""
    return "unbinned" if number == UNBINNED else f"bin_{number}"


def write_bins(
    contigs: Contigs,
    descriptions: list[str],
    binning: Binning,
    options: BinOptions,
    samples: list[str],
    directory: OutputDirectory,
) -> None:
    """Write all files of a directory of bins but the page and the record of the run."""
    for number in range(UNBINNED, binning.n_bins + 1):
        chosen = np.flatnonzero(binning.bins == number)
        if len(chosen):
            with directory.open(f"{bin_name(number)}.fasta") as stream:
                _write_fasta(stream, contigs, descriptions, chosen)
    with directory.open("contigs.tsv") as stream:
        write_contig_bins(stream, contigs, binning, samples)
    with directory.open("bins.tsv") as stream:
        stream.writelines(("\t".join(map(str, row)) + "\n").encode() for row in bin_rows(contigs, binning, samples))
    with directory.open(PARAMS) as stream:
        stream.write(params_json({"bin": asdict(options), "used": {"map": list(binning.heights.shape)}}))


def write_bin_record(record: RunRecord, options: BinOptions, run: RunOptions, directory: OutputDirectory) -> None:
    """Write ``run.json``: what a run did, with times and memory."""
    record.threads = run.n_threads
    record.versions, record.host = describe_versions(), describe_host()
    shown = {name: value for name, value in asdict(run).items() if name != "tmp_dir"}
    record.options = {"bin": asdict(options), "run": shown}
    with directory.open(RUN) as stream:
        stream.write(to_json(record.as_json()))


def _write_fasta(stream: BinaryIO, contigs: Contigs, descriptions: list[str], chosen: NDArray[np.int64]) -> None:
    """Write contigs, with their headers as they were, in lines of 80 bases."""
    for contig in chosen.tolist():
        header = " ".join(filter(None, (contigs.names[contig], descriptions[contig])))
        stream.write(b">" + header.encode(errors="surrogateescape") + b"\n")
        letters = _LETTERS[contigs.codes[contigs.offsets[contig] : contigs.offsets[contig + 1]]]
        n_whole = len(letters) // _LINE_BP * _LINE_BP
        lines = np.full((n_whole // _LINE_BP, _LINE_BP + 1), ord("\n"), np.uint8)
        lines[:, :_LINE_BP] = letters[:n_whole].reshape(-1, _LINE_BP)
        stream.write(lines.tobytes())
        if n_whole < len(letters):
            stream.write(letters[n_whole:].tobytes() + b"\n")


def write_contig_bins(stream: BinaryIO, contigs: Contigs, binning: Binning, samples: list[str]) -> None:
    """Write the table of the contigs: contig, bin, length, depths, and the row and column of the best matching unit."""
    header = ["contig", "bin", "length", *depth_names(samples), "row", "column"]
    stream.write(("\t".join(header) + "\n").encode(errors="surrogateescape"))
    for row in _contig_rows(contigs, binning):
        stream.write(("\t".join(row) + "\n").encode(errors="surrogateescape"))


def _contig_rows(contigs: Contigs, binning: Binning) -> Iterator[list[str]]:
    n_columns = binning.heights.shape[1]
    lengths = contigs.lengths.tolist()
    places = [divmod(unit, n_columns) if unit >= 0 else ("", "") for unit in binning.units.tolist()]
    for i, name in enumerate(contigs.names):
        depths = [f"{depth:.2f}" for depth in contigs.depths[i].tolist()]
        yield [name, bin_name(int(binning.bins[i])), str(lengths[i]), *depths, *map(str, places[i])]


def depth_names(samples: list[str]) -> list[str]:
    """Return the names of the columns of depths: ``depth``, or of several samples ``depth_1`` and so on."""
    return ["depth"] if len(samples) == 1 else [f"depth_{i}" for i in range(1, len(samples) + 1)]


def bin_rows(contigs: Contigs, binning: Binning, samples: list[str]) -> list[list[str | int]]:
    """Rows of the table of the bins, the header first: contigs, bases, largest contig, N50, GC and mean depths."""
    header: list[str | int] = ["bin", "contigs", "length", "largest", "N50", "GC (%)", *depth_names(samples)]
    gc = _gc_counts(contigs)
    rows = [header]
    for number in [*range(1, binning.n_bins + 1), UNBINNED]:
        chosen = np.flatnonzero(binning.bins == number)
        lengths = np.sort(contigs.lengths[chosen])[::-1]
        total, n_known = int(lengths.sum()), int(gc[1][chosen].sum())
        n50, _l50 = nx_lx(lengths, 50)
        depths = [
            f"{_mean_depth(contigs.depths[chosen, i], contigs.lengths[chosen]):.2f}" if total else ""
            for i in range(len(samples))
        ]
        share = f"{100 * int(gc[0][chosen].sum()) / n_known:.2f}" if n_known else ""
        figures: list[str | int] = [len(chosen), total, int(lengths.max(initial=0)), n50 or 0, share, *depths]
        rows.append([bin_name(number), *figures])
    return [[one_line(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]


def _mean_depth(depths: NDArray[np.float64], lengths: NDArray[np.int64]) -> float:
    """Mean depth per base; depths are rounded to 1/1024, so that their sum is exact."""
    total: int = sum(round(depth * 1024) * n_bp for depth, n_bp in zip(depths.tolist(), lengths.tolist(), strict=True))
    mean: float = total / (1024 * int(lengths.sum()))
    return mean


def _gc_counts(contigs: Contigs) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number of bases that are G or C, and of those that are A, C, G or T, of each contig."""
    sums = []
    for is_so in ((contigs.codes == 1) | (contigs.codes == 2), contigs.codes < 4):
        ends = np.concatenate([[0], np.cumsum(is_so, dtype=np.int64)])
        sums.append(np.diff(ends[contigs.offsets]))
    return sums[0], sums[1]
