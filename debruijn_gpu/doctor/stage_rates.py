"""Measure the rates of the stages from reads to unitigs on this machine: `assembly.stage_rates`."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

import numpy as np

from debruijn_gpu.alphabet import BASES
from debruijn_gpu.assembly.options import UnitigOptions
from debruijn_gpu.assembly.stage_rates import StageRates
from debruijn_gpu.io.opening import read_blocks
from debruijn_gpu.pipeline import unitigs
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import cpu_model, cpu_seconds
from debruijn_gpu.run.stages import Stage
from debruijn_gpu.run.tuning import tuned

_GENOME_BP, _DEPTH, _READ_BP, _ERROR_SHARE = 2_000_000, 20, 150, 0.002
_K, _PARTITIONS = 31, 16
_MIN_COUNT = 3
_BLOCK_BYTES = 1 << 20
_READS_AT_ONCE, _INFLATED_BYTES = 1 << 14, 1 << 24
_LEAST_RATE = 1e-12


def measure(genome_bp: int = _GENOME_BP) -> StageRates:
    """Assemble the unitigs of generated reads in partitions, with one thread, and return what each stage took.

    Parameters
    ----------
    genome_bp : int
        Length of the random genome whose reads are generated.
    """
    with tempfile.TemporaryDirectory(prefix="dbg-rates-") as directory:
        reads, packed = Path(directory) / "reads.fq", Path(directory) / "reads.fq.gz"
        n_bases = _write_reads(reads, genome_bp)
        text = reads.read_bytes()[:_INFLATED_BYTES]
        packed.write_bytes(gzip.compress(text, 6))
        n_inflated = text.count(b"\n") // 4 * _READ_BP
        inflating = _reading_seconds(packed)
        _stages_of(reads)  # compiles kernels
        stages = _stages_of(reads)
    n_kmers = stages["count"].items
    n_distinct, n_segments = stages["kept"].items, stages["unitigs"].items
    return StageRates(
        machine=f"a core of {cpu_model()}",
        inflate_s_per_base=max(_LEAST_RATE, inflating / n_inflated),
        read_s_per_base=stages["read"].cpu_s / n_bases,
        count_s_per_kmer=stages["count"].cpu_s / n_kmers,
        compact_s_per_kmer=stages["unitigs"].cpu_s / n_distinct,
        glue_s_per_segment=stages["glue"].cpu_s / n_segments,
        segments_per_kmer=n_segments / n_distinct,
    )


def _write_reads(path: Path, genome_bp: int) -> int:
    """Write reads of a random genome, with errors, as FASTQ; return the number of bases."""
    rng = np.random.default_rng(1)
    genome = rng.integers(0, 4, genome_bp, np.uint8)
    n_reads = genome_bp * _DEPTH // _READ_BP
    starts = rng.integers(0, genome_bp - _READ_BP, n_reads)
    record = np.frombuffer(b"@read\n" + b"A" * _READ_BP + b"\n+\n" + b"A" * _READ_BP + b"\n", np.uint8)
    first, qualities = len(b"@read\n"), np.frombuffer(b"FFFFFF:,", np.uint8)
    last = first + _READ_BP + len(b"\n+\n")
    with open(path, "wb") as file:
        for some in np.array_split(starts, 1 + n_reads // _READS_AT_ONCE):
            codes = genome[some[:, None] + np.arange(_READ_BP)]
            wrong = rng.random(codes.shape) < _ERROR_SHARE
            records = np.tile(record, (len(some), 1))
            records[:, first : first + _READ_BP] = np.frombuffer(BASES, np.uint8)[(codes + wrong) % 4]
            records[:, last : last + _READ_BP] = qualities[rng.integers(0, len(qualities), codes.shape)]
            file.write(records.tobytes())
    return n_reads * _READ_BP


def _reading_seconds(path: Path) -> float:
    start = cpu_seconds()
    for _block in read_blocks(str(path), _BLOCK_BYTES):
        pass
    return cpu_seconds() - start


def _stages_of(reads: Path) -> dict[str, Stage]:
    """Run `pipeline.unitigs`, and return its stages; the number of k-mers that are kept is in one of its own."""
    options = UnitigOptions(k=_K, min_count=_MIN_COUNT, clean=None)
    run = RunOptions(backend="cpu", threads=1)
    with log.new_run(), tuned(partitions=_PARTITIONS):
        found = unitigs(ReadInputs(single=(str(reads),)), options, run)
        stages = {_names(stage.name): stage for stage in log.current_run().stages}
    n_kept = int(np.diff(found.offsets).sum()) - (_K - 1) * len(found)
    return {**stages, "kept": Stage("kept", n_kept)}


def _names(name: str) -> str:
    """First word of the name of a stage."""
    return name.split(" ")[0]
