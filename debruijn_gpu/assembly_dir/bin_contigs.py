"""Bin the contigs of a file: read them and their depths, and cut bins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.assembly_dir.contigs_to_bin import ContigsToBin, read_contigs_to_bin
from debruijn_gpu.binning.bins import UNBINNED, Binning, bin_contigs
from debruijn_gpu.binning.features import Contigs
from debruijn_gpu.binning.options import BinOptions
from debruijn_gpu.io.alignments.depths import measure_depths, read_depth_table
from debruijn_gpu.io.fastx.reads import check_distinct, expected_bases, read_texts
from debruijn_gpu.io.opening import check_readable, display_name
from debruijn_gpu.mapping.mapper import Mapper
from debruijn_gpu.mapping.options import MapOptions
from debruijn_gpu.mapping.segments import NamedSegments, linked_segments
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.plain_text import counted
from debruijn_gpu.run.resources import calling_threads

Floats = NDArray[np.float64]


def bin_contigs_of_file(
    path: str, coverage: Sequence[str], samples: Sequence[ReadInputs], options: BinOptions, run: RunOptions
) -> tuple[Contigs, list[str], Binning, list[str]]:
    """Bin contigs by composition and by all depths that are known.

    Parameters
    ----------
    path : str
        FASTA or GFA.
    coverage : sequence of str
        Tables of depths; see `read_depth_table`.
    samples : sequence of ReadInputs
        Reads of each sample, which are mapped to the contigs. Without these and tables, depths are those of the headers
        if all contigs that shape the map state one.
    options : BinOptions
    run : RunOptions

    Returns
    -------
    contigs : Contigs
        With depths.
    descriptions : list of str
        Headers behind the names.
    binning : Binning
    names : list of str
        What each column of depths comes from; without paths, which results do not hold.
    """
    for table in coverage:
        check_readable(table)
    check_distinct(*samples)
    with log.stage("read contigs", unit="contigs") as stage:
        found = read_contigs_to_bin(path)
        stage.items = len(found.contigs)
    names, depths = _depths(found, coverage, samples, options, run)
    contigs = replace(found.contigs, depths=depths)
    backend = backends.load_arrays(run, "som", _expected_bytes(contigs, options))
    binning = bin_contigs(contigs, options, backend)
    n_binned = int((binning.bins != UNBINNED).sum())
    if not binning.n_bins:
        log.logger.warning("no bin has %s bp or more (--min-bin)", f"{options.min_bin:,}")
    log.report("%s of %s of %s", counted(binning.n_bins, "bin"), f"{n_binned:,}", counted(len(contigs), "contig"))
    return contigs, found.descriptions, binning, names


def _expected_bytes(contigs: Contigs, options: BinOptions) -> int:
    """Estimate the bytes of all distances between windows and units, by which `auto` chooses the backend."""
    n_windows = int(contigs.offsets[-1]) // (options.window or 5000) + len(contigs)
    rows, columns = options.map_size or (2, n_windows)
    return 8 * n_windows * rows * columns


def _depths(
    found: ContigsToBin, coverage: Sequence[str], samples: Sequence[ReadInputs], options: BinOptions, run: RunOptions
) -> tuple[list[str], Floats]:
    """Collect the depths of all sources, with the name of each column."""
    contigs = found.contigs
    is_needed = contigs.lengths >= min(options.min_length, options.min_assigned)
    names, columns = list[str](), [contigs.depths]
    for number, table in enumerate(coverage, 1):
        depths = read_depth_table(table, contigs.names, is_needed)
        names += [f"column {i + 1} of coverage table {number}" for i in range(depths.shape[1])]
        columns.append(depths)
    for number, depth in enumerate(_measured(contigs, samples, run), 1):
        names.append(f"the reads of sample {number}")
        columns.append(depth[:, None])
    if not names and len(contigs) and not np.isnan(found.header_depths[is_needed]).any():
        names.append("the headers of the contigs")
        columns.append(np.nan_to_num(found.header_depths)[:, None])
    if not names:
        log.report("no depths: contigs are told apart by composition alone")
    return names, np.column_stack(columns)


def _measured(contigs: Contigs, samples: Sequence[ReadInputs], run: RunOptions) -> list[Floats]:
    """Map the reads of each sample to the contigs, and return their depths."""
    if not samples:
        return []
    backend = backends.load_arrays(run, "reads", sum(map(expected_bases, samples)))
    none = np.empty(0, np.int64)
    linked = linked_segments(contigs.codes, contigs.lengths, none.reshape(0, 2), none)
    named = [name.encode(errors="surrogateescape") for name in contigs.names]
    mapper = Mapper(NamedSegments(named, linked, False), MapOptions(), run, backend)
    threads = calling_threads(run.threads, backend.is_sequential)
    measured = []
    for sample in samples:
        texts = read_texts(sample, backend, threads=run.threads, memory=run.memory)
        depths, counts = measure_depths(texts, mapper, contigs.lengths, threads)
        shown = ", ".join(map(display_name, sample.paths))
        log.report("%s: %s of %s reads placed", shown, f"{counts.n_placed:,}", f"{counts.n_reads:,}")
        measured.append(depths)
    return measured
