"""Directories of assemblies to make pages of, written without assembling."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from debruijn_gpu.assembly.insert_sizes import InsertSizes, SizeSummary
from debruijn_gpu.assembly.options import AssembleOptions
from debruijn_gpu.assembly.statistics import stats_of_contigs
from debruijn_gpu.assembly_dir.writing import params_json, report_json, report_tsv
from debruijn_gpu.io.fastx.writing import write_fasta
from debruijn_gpu.io.gfa.contigs import write_gfa
from debruijn_gpu.io.tables import to_json, write_histogram
from debruijn_gpu.kmers.spectrum import Spectrum, estimate
from debruijn_gpu.run.record import BackendRecord, Message, RunRecord, StageRecord
from tests.assembly.examples import contigs_of

RUN = RunRecord(
    start="2026-01-01T00:00:00+00:00",
    wall_s=3.0,
    cpu_s=3.5,
    peak_memory_bytes=1610612736,
    command="dbg assemble '<b>reads</b>.fq' -o out",
    inputs=["<b>reads</b>.fq"],
    threads=2,
    backends=[BackendRecord("cpu", "Some <i>CPU</i>", "no NVIDIA driver")],
    stages=[
        StageRecord("read and split into k-mers", 0.0, 1_000_000, "k-mers", 1.0, 1.5, 0.0, 104857600, {"parse": 1.0}),
        StageRecord("clean", 1.0, 12, "unitigs removed", 2.0, 2.0, 1.5, 1610612736),
    ],
    messages=[Message("a <u>warning</u>")],
)
PAIRS = InsertSizes(1000, 900, 890, 6, 4, "FR", SizeSummary(400, 370, 430, 44.5, 300, 10, tuple(range(1, 11)) * 2))


def random_contigs(lengths, seed=1, gc=0.5):
    rng = np.random.default_rng(seed)
    letters = np.frombuffer(b"ACGT", np.uint8)
    chances = [(1 - gc) / 2, gc / 2, gc / 2, (1 - gc) / 2]
    return [rng.choice(letters, n, p=chances).tobytes() for n in lengths]


def peaked_spectrum(depth=30, genome=20_000, k=31):
    rng = np.random.default_rng(5)
    counted = np.bincount(np.concatenate([rng.poisson(depth, genome), 1 + rng.poisson(0.05, genome)]))
    multiplicity = np.flatnonzero(counted[1:]) + 1
    return Spectrum(k, multiplicity, counted[multiplicity])


def write_directory(
    place: Path, sequences=None, *, kmer_depth=30, circular=(), spectrum=None, inserts=(PAIRS,), name="contigs"
):
    """All that `dbg assemble -o` writes but the page and MultiQC's files, of given contigs."""
    sequences = random_contigs([9000, 6000, 4000, 1000]) if sequences is None else sequences
    contigs = contigs_of(
        sequences,
        31,
        [kmer_depth * max(1, len(s) - 30) for s in sequences],
        circular,
        [(0, 2), (2, 4)][: len(sequences) // 3],
    )
    stats, spectrum = stats_of_contigs(contigs), spectrum or peaked_spectrum()
    found = estimate(spectrum)
    sections = {
        "reads": {"n_reads": 8000, "n_bases": 800_000, "longest_bp": 100},
        "k": {"k": 31, "why": "k = 31, as asked for"},
        "min_count": found.cutoff,
        "spectrum": {"n_distinct": spectrum.n_distinct, **vars(found)},
        "cleaning": {
            "tips": 3,
            "bubbles": 4,
            "erroneous_connections": 0,
            "isolated": 5,
            "rounds": 1,
            "by_round": [{"tips": 3, "bubbles": 4, "erroneous_connections": 0}],
        },
        "insert_sizes": {"inputs": list(inserts), "why_not": None if inserts else "the reads are not paired"},
        "graph": {
            "n_segments": len(contigs),
            "n_links": len(contigs.links),
            "n_circular": len(circular),
            "total_bp": stats.total_bp,
        },
    }
    place.mkdir(parents=True, exist_ok=True)
    with open(place / "contigs.fasta", "wb") as stream:
        write_fasta(stream, contigs, 1.25)
    with open(place / "assembly_graph.gfa", "wb") as stream:
        write_gfa(stream, contigs, 0, len(contigs))
    with open(place / "spectrum.hist", "wb") as stream:
        write_histogram(stream, spectrum.multiplicity, spectrum.frequency)
    (place / "report.json").write_bytes(report_json(stats, sections))
    (place / "report.tsv").write_bytes(report_tsv({name: stats}))
    options = AssembleOptions(ks=(31,), name=name)
    (place / "params.json").write_bytes(params_json({"assemble": options, "used": {"k": 31, "min_count": 3}}))
    (place / "dbg.log").write_text("a log, which no page reads\n")
    (place / "run.json").write_bytes(to_json(RUN.as_json()))
    return place
