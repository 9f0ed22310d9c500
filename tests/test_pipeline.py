"""The whole way from reads to files: what must not matter does not, and what comes out is in the reads."""

from __future__ import annotations

import bz2
import gc
import gzip
import json
import lzma
import random
import weakref
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from debruijn_gpu import pipeline
from debruijn_gpu.assembly import cleaning, partitioned, round_graphs, thresholds
from debruijn_gpu.assembly.clean_options import CleanOptions
from debruijn_gpu.assembly.options import AssembleOptions, UnitigOptions
from debruijn_gpu.assembly.result import Assembly
from debruijn_gpu.assembly_dir.directory import OutputDirectory
from debruijn_gpu.assembly_dir.writing import write_assembly
from debruijn_gpu.errors import NothingToAssembleError, OutOfMemoryError, ParameterError
from debruijn_gpu.graph import de_bruijn as kmer_graphs
from debruijn_gpu.io.compression.inflating import zstd_library
from debruijn_gpu.io.fastx import read_source
from debruijn_gpu.io.fastx.reads import read_batches
from debruijn_gpu.io.gfa.contigs import write_gfa
from debruijn_gpu.pipeline import assemble, unitigs
from debruijn_gpu.reads.genome import load_genome
from debruijn_gpu.reads.options import ReadInputs, SimulateOptions
from debruijn_gpu.reads.simulate import simulate_reads
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.parallel import end_idle_threads
from debruijn_gpu.run.resources import LEAST_BUDGET, current_memory
from debruijn_gpu.run.tuning import tuned
from tests.helpers import first_quick, sequences_of
from tests.naive import kmers as naive
from tests.naive.kmers import canonical, reverse_complement

zstd = zstd_library()

DATA = Path(__file__).parents[1] / "data"
PHIX = DATA / "phix174_J02482.fa"
PHIX_READS = DATA / "phix174_R1.fastq.gz", DATA / "phix174_R2.fastq.gz"
RUN = RunOptions(threads=2)
RAW = UnitigOptions(k=31, min_count=1, clean=None)
COMPRESS = {
    "plain": bytes,
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstd.compress,
}


def single(*paths: Path) -> ReadInputs:
    return ReadInputs(single=tuple(map(str, paths)))


def fastq_records(path: Path) -> list[tuple[bytes, bytes, bytes]]:
    """Name, sequence and qualities."""
    lines = gzip.decompress(path.read_bytes()).splitlines()
    return list(zip(lines[::4], lines[1::4], lines[3::4], strict=True))


def fastq(records: list[tuple[bytes, bytes, bytes]]) -> bytes:
    return b"".join(b"%s\n%s\n+\n%s\n" % record for record in records)


def reverse_complement_of(record: tuple[bytes, bytes, bytes]) -> tuple[bytes, bytes, bytes]:
    name, sequence, qualities = record
    return name, reverse_complement(sequence.decode()).encode(), qualities[::-1]


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def write_reads(path: Path, reads: list[str]) -> Path:
    return write(path, "".join(f">{i}\n{read}\n" for i, read in enumerate(reads)).encode())


def random_genome(length: int, seed: int = 1) -> str:
    return "".join(random.Random(seed).choices("ACGT", k=length))


def simulated(path: Path, genome: str, **options) -> Path:
    """Reads of a genome without errors."""
    chosen = SimulateOptions(**{"sub_rate": 0, "indel_rate": 0, **options})
    texts = simulate_reads(load_genome([("genome", genome.encode())], chosen), chosen)
    return write(path, b"".join(text for (text,) in texts))


def files_of(inputs: ReadInputs, place: Path, run: RunOptions = RUN, **options) -> dict[str, bytes]:
    """All that an assembly writes, but the log."""
    chosen = AssembleOptions(**options)
    with OutputDirectory(place) as directory:
        write_assembly(assemble(inputs, chosen, run), chosen, directory)
    return {path.name: path.read_bytes() for path in sorted(place.iterdir())}


@pytest.fixture(scope="module")
def records():
    return [record for path in PHIX_READS for record in fastq_records(path)]


@pytest.fixture(scope="module")
def expected(tmp_path_factory) -> dict[str, bytes]:
    """The files of phiX174's assembly, which is to be the same whatever changes but the reads."""
    files = files_of(single(*PHIX_READS), tmp_path_factory.mktemp("phix") / "out")
    assert set(files) == {
        "assembly_graph.gfa", "breaks.tsv", "contigs.fasta", "contigs.tsv", "gap_closures.tsv", "general_mqc.json",
        "lengths_mqc.json", "params.json", "report.json", "report.tsv", "spectrum.hist", "spectrum_mqc.json",
    }  # fmt: skip
    return files


@pytest.mark.parametrize("threads", [1, 2, pytest.param(5, marks=pytest.mark.slow)])
def test_threads_do_not_matter(threads, expected, tmp_path):
    assert files_of(single(*PHIX_READS), tmp_path / "out", RunOptions(threads=threads)) == expected


@tuned(reads_share=1e-6, super_kmers_share=1e-6)
def test_memory_does_not_matter(expected, tmp_path):
    """Reads and k-mers beyond the budget go to a temporary file, which is removed."""
    allowed = current_memory() + (200 << 20)  # beside what the tests before have taken
    run = RunOptions(threads=2, memory=str(allowed), tmp_dir=tmp_path)
    assert files_of(single(*PHIX_READS), tmp_path / "out", run) == expected
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("partitions", [1, pytest.param(5, marks=pytest.mark.slow)])
def test_partitions_do_not_matter(partitions, expected, tmp_path, tune):
    """K-mers beyond the budget are counted into partitions and never make a table."""
    tune(partitions=partitions, partitioned_kmers=997)
    for name, share in (("held", 0.25), ("spilled", 0.0)):
        tune(partitions_share=share)
        assert files_of(single(*PHIX_READS), tmp_path / name) == expected


@pytest.mark.slow
@pytest.mark.parametrize("block_bytes", [97, 1000, 30_011])
def test_blocks_do_not_matter(block_bytes, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(read_source, "read_batches", partial(read_batches, block_bytes=block_bytes))
    assert files_of(single(*PHIX_READS), tmp_path / "out") == expected


@pytest.mark.parametrize("seed", first_quick([1, 2]))
def test_order_and_strand_of_reads_do_not_matter(seed, records, expected, tmp_path):
    chance = random.Random(seed)
    shuffled = [reverse_complement_of(record) if chance.random() < 0.5 else record for record in records]
    chance.shuffle(shuffled)
    assert files_of(single(write(tmp_path / "reads", fastq(shuffled))), tmp_path / "out") == expected


@pytest.mark.slow
def test_every_read_of_the_other_strand(records, expected, tmp_path):
    reads = write(tmp_path / "reads", fastq(list(map(reverse_complement_of, records))))
    assert files_of(single(reads), tmp_path / "out") == expected


@pytest.mark.slow
@pytest.mark.parametrize("compress", COMPRESS.values(), ids=COMPRESS)
def test_compression_does_not_matter(compress, records, expected, tmp_path):
    reads = write(tmp_path / "reads", compress(fastq(records)))
    assert files_of(single(reads), tmp_path / "out") == expected


def test_files_do_not_matter(records, expected, tmp_path):
    cuts = [0, 1, 500, 501, 1500, len(records)]
    parts = [records[first:last] for first, last in pairwise(cuts)]
    paths = [write(tmp_path / f"{i}.fq", fastq(part)) for i, part in enumerate(parts)]
    assert files_of(single(*paths), tmp_path / "out") == expected


@pytest.mark.slow
def test_pairs_are_reads_too(records, expected, tmp_path):
    """The same assembly; what is told of it beside that are insert sizes and scaffolds."""
    tables = {"scaffolds.agp", "scaffolds.fasta", "scaffolds.tsv", "gap_closures.tsv", "breaks.tsv"}
    told = {"report.json", "general_mqc.json", *tables}
    rest = {name: text for name, text in expected.items() if name not in told}
    first, second = map(str, PHIX_READS)
    paired = files_of(ReadInputs(first=(first,), second=(second,)), tmp_path / "a")
    assert {name: text for name, text in paired.items() if name not in told} == rest
    assert json.loads(paired["report.json"])["insert_sizes"]["inputs"][0]["orientation"] == "FR"
    half = len(records) // 2
    turns = [record for pair in zip(records[:half], records[half:], strict=True) for record in pair]
    interleaved = write(tmp_path / "turns", fastq(turns))
    assert files_of(ReadInputs(interleaved=(str(interleaved),)), tmp_path / "b") == paired


def test_fasta_gives_what_fastq_gives(records, expected, tmp_path):
    text = b"".join(b">%s\n%s\n%s\r\n" % (name[1:], bases[:40], bases[40:].lower()) for name, bases, _q in records)
    assert files_of(single(write(tmp_path / "reads", text)), tmp_path / "out") == expected


def kmers(*sequences: str, k: int) -> set[str]:
    return set(naive.count(list(sequences), k))


def test_phix(expected, records, tmp_path):
    genome = PHIX.read_text().split("\n", 1)[1].replace("\n", "")
    header, contig = expected["contigs.fasta"].decode().split("\n")[:2]
    assert header.startswith(">contig_1 length=5386 kmer_depth=")
    assert header.endswith(" circular=true")
    assert contig in genome * 2 or contig in reverse_complement(genome) * 2
    assert expected["contigs.fasta"].count(b">") == 1


def test_reports_agree(expected):
    report = json.loads(expected["report.json"])
    rows = dict(line.split("\t") for line in expected["report.tsv"].decode().splitlines())
    assert report["schema_version"] == 2
    assert rows["Assembly"] == "contigs"
    assert int(rows["Total length"]) == report["contigs"]["total_bp"] == 5386
    assert int(rows["N50"]) == report["contigs"]["n50_bp"] == 5386
    given = {"n_reads_given": 2154, "n_bases_given": 215_400}
    assert report["reads"] == {"n_reads": 2154, "n_bases": 215_400, "longest_bp": 100, **given}
    limit = report["depth_limit"]
    assert (limit["max_depth"], limit["read_depth"], limit["share_kept"]) == (150, 40, 1.0)
    assert report["graph"]["n_circular"] == 1
    assert report["min_count"] == report["spectrum"]["cutoff"]
    ks = [done["k"] for done in report["rounds"]]
    assert f"k = {', '.join(map(str, ks))}:" in report["k"]["why"]
    assert report["k"]["k"] == ks[-1]
    histogram = [tuple(map(int, line.split())) for line in expected["spectrum.hist"].decode().splitlines()]
    assert histogram == sorted(set(histogram))
    assert sum(n for _multiplicity, n in histogram) == report["spectrum"]["n_distinct"]
    parameters = json.loads(expected["params.json"])
    assert parameters["assemble"]["ks"] == []
    assert "threads" not in expected["params.json"].decode()
    assert str(DATA).encode() not in b"".join(expected.values())


@pytest.mark.parametrize(("is_uneven", "n_unitigs"), [(False, 4), (True, 1)])
def test_unitigs_are_cleaned_by_the_coverage_of_the_sample(is_uneven, n_unitigs, tmp_path, monkeypatch):
    """A side of a bubble with a third of the depth of the other is a variant where coverage is uneven."""
    monkeypatch.setattr(thresholds, "is_uneven", lambda _spectrum, _estimate: is_uneven)
    genome = random_genome(400)
    variant = genome[:200] + ("A" if genome[200] != "A" else "C") + genome[201:]
    options = UnitigOptions(k=31, min_count=1, clean=CleanOptions(haplotype_depth=1000))
    found = unitigs(single(write_reads(tmp_path / "reads", [genome] * 30 + [variant] * 10)), options, RUN)
    assert len(sequences_of(found)) == n_unitigs


@pytest.mark.parametrize("k", [15, 31, 63, 95])
@pytest.mark.parametrize("clean", [None, CleanOptions()])
def test_kmers_of_unitigs_are_kmers_of_reads(k, clean, records, tmp_path):
    reads = [bases.decode() for _name, bases, _qualities in records[:400]]
    counts = naive.count(reads, k)
    found = unitigs(
        single(write_reads(tmp_path / "reads", reads)), UnitigOptions(k=k, min_count=1, clean=clean), RUN
    )  # fmt: skip
    spelled = naive.count(sequences_of(found), k)
    assert set(spelled.values()) <= {1}
    assert set(spelled) <= set(counts)
    assert found.kmer_counts.sum() == sum(counts[kmer] for kmer in spelled)
    if clean is None:
        assert set(spelled) == set(counts)
        assert set(sequences_of(found)) == naive.unitigs(sorted(counts))


def test_the_kmer_table_and_its_graph_are_freed_before_cleaning(tmp_path, monkeypatch, tune):
    """A large table waits for the evaluation in a scratch file."""
    tune(held_kmers_share=0)
    arrays = []

    def kmer_graph(table, backend, room):
        graph = kmer_graphs.kmer_graph(table, backend, room)
        arrays.extend(map(weakref.ref, (table.codes, table.counts, graph.row_ptr, graph.col)))
        return graph

    def clean(*args):
        gc.collect()  # a failed attempt of the compiler may hold arguments
        assert [array() for array in arrays] == 4 * [None]
        return cleaning.clean(*args)

    monkeypatch.setattr(round_graphs, "kmer_graph", kmer_graph)
    monkeypatch.setattr(pipeline, "clean", clean)
    reads = simulated(tmp_path / "reads", random_genome(2_000), depth=20)
    assert len(assemble(single(reads), AssembleOptions(ks=(31,)), RUN).contigs)
    assert len(arrays) == 4


def test_min_count_leaves_out_what_is_rarer(records, tmp_path):
    reads = [bases.decode() for _name, bases, _qualities in records]
    found = unitigs(
        single(write_reads(tmp_path / "reads", reads)), UnitigOptions(k=31, min_count=3, clean=None), RUN
    )  # fmt: skip
    assert kmers(*sequences_of(found), k=31) == {kmer for kmer, n in naive.count(reads, 31).items() if n >= 3}


@pytest.mark.parametrize(("k", "min_count"), [(31, "given"), (31, None), (0, None)])
def test_a_line_without_errors(k, min_count, tmp_path):
    genome = random_genome(20_000)
    reads = simulated(tmp_path / "reads", genome, depth=40)
    options = AssembleOptions(ks=(k,) if k else (), min_count=1 if min_count else None)
    found = assemble(single(reads), options, RUN)
    (contig,) = sequences_of(found.contigs)
    assert contig in (genome if contig in genome else reverse_complement(genome))
    assert len(contig) >= 19_950
    assert not found.contigs.circular.any()


@pytest.mark.parametrize("walk", ["unitigs", "euler"])
def test_a_circular_genome_without_errors(walk, tmp_path):
    genome = random_genome(8_000, seed=2)
    reads = simulated(tmp_path / "reads", genome, depth=60, circular=True)
    found = assemble(single(reads), AssembleOptions(ks=(31,), walk=walk), RUN)
    strands = (genome, reverse_complement(genome))
    assert sequences_of(found.contigs) == [min(s[i:] + s[:i] for s in strands for i in range(len(s)))]
    assert found.contigs.circular.tolist() == [True]


def tiles(genome: str, length: int = 100, step: int = 7) -> list[str]:
    """Reads that lie like bricks, of either strand in turn, and the end."""
    reads = [genome[i : i + length] for i in range(0, len(genome) - length, step)] + [genome[-length:]]
    return [reverse_complement(read) if i % 2 else read for i, read in enumerate(reads)]


def test_a_genome_with_repeats_comes_as_several_contigs(tmp_path):
    repeat = random_genome(300, seed=3)
    a, b, c, d = (random_genome(length, length) for length in (2_000, 1_500, 1_200, 900))
    genome = a + repeat + b + repeat + c + reverse_complement(repeat) + d
    reads = write_reads(tmp_path / "reads", tiles(genome))
    found = assemble(single(reads), AssembleOptions(ks=(41,), min_count=1), RUN)
    assert set(sequences_of(found.contigs)) == naive.unitigs(sorted(naive.count([genome], 41)))
    assert found.cleaned.removed == 0


def repeat_between_flanks(seed: int) -> tuple[str, list[str]]:
    """A genome with repeats of 60 bases, and reads of it, some with an error."""
    repeat = random_genome(60, seed)
    parts = [random_genome(400, 10 * seed + i) for i in range(4)]
    genome = repeat.join(parts)
    reads = tiles(genome, 120, 4)
    for i in range(0, len(reads), 7):
        reads[i] = reads[i][:50] + ("A" if reads[i][50] != "A" else "C") + reads[i][51:]
    return genome, reads


def assert_whole(found: Assembly, genome: str) -> None:
    """One contig is the genome but its ends, which few reads cover."""
    (contig,) = sequences_of(found.contigs)
    assert contig in genome or contig in reverse_complement(genome)
    assert len(contig) > len(genome) - 20


@pytest.mark.parametrize("seed", first_quick([1, 2]))
@pytest.mark.parametrize("ks", [(21, 81), (21, 33, 81), (31, 55, 79)])
def test_a_larger_k_resolves_the_repeats_of_a_smaller_one(ks, seed, tmp_path):
    genome, reads = repeat_between_flanks(seed)
    inputs = single(write_reads(tmp_path / "reads", reads))
    found = assemble(inputs, AssembleOptions(ks=ks, min_count=2), RUN)
    assert_whole(found, genome)
    assert [done.k for done in found.rounds] == list(ks)
    assert found.rounds[0].n_unitigs > 1
    assert found.rounds[-1].n_unitigs == 1
    assert 0 < found.rounds[1].kmers.n_counted < found.rounds[1].n_read_kmers


@pytest.mark.slow
def test_rounds_do_not_depend_on_threads_blocks_and_memory(tmp_path, records):
    reads = write_reads(tmp_path / "reads", [bases.decode() for _name, bases, _qualities in records])
    options = AssembleOptions(ks=(21, 33, 45))
    whole = assemble(single(reads), options, RUN)
    for run in (replace(RUN, threads=1), replace(RUN, threads=3)):
        other = assemble(single(reads), options, run)
        assert sequences_of(other.contigs) == sequences_of(whole.contigs)
        assert other.contigs.kmer_counts.tolist() == whole.contigs.kmer_counts.tolist()
        assert other.rounds == whole.rounds


def test_rounds_do_not_depend_on_partitions(tmp_path, tune):
    """Thin coverage, so that mercy k-mers join those in partitions."""
    reads = simulated(tmp_path / "reads", random_genome(4_000), depth=12, sub_rate=0.01)
    options = AssembleOptions(ks=(21, 33), min_count=3)
    whole = assemble(single(reads), options, RUN)
    assert whole.rounds[0].kmers.n_mercy > 0
    tune(partitions=4)
    other = assemble(single(reads), options, RUN)
    assert sequences_of(other.contigs) == sequences_of(whole.contigs)
    assert other.contigs.kmer_counts.tolist() == whole.contigs.kmer_counts.tolist()
    assert (other.rounds, other.evaluation) == (whole.rounds, whole.evaluation)


@pytest.mark.parametrize("changes", [{}, {"edge_centric": True}, {"tigs": "eulertigs"}, {"min_count": None}])
def test_unitigs_do_not_depend_on_partitions(changes, tune):
    options = replace(UnitigOptions(k=21, min_count=2, clean=None), **changes)
    whole = unitigs(single(*PHIX_READS), options, RUN)
    tune(partitions=6)
    other = unitigs(single(*PHIX_READS), options, RUN)
    assert sequences_of(other) == sequences_of(whole)
    assert other.kmer_counts.tolist() == whole.kmer_counts.tolist()
    assert other.links.tolist() == whole.links.tolist()


def held_memory(left):
    """Return bytes whose keeping leaves a process, at the least budget, no more than `left` bytes."""
    return np.ones(max(LEAST_BUDGET - current_memory() - left, 0), np.uint8)


@pytest.mark.slow
def test_a_graph_beyond_the_budget_is_built_in_partitions(tmp_path, monkeypatch):
    numbers = []

    def compact_partitions(partitions, *others):
        numbers.append(partitions.n_partitions)
        return partitioned.compact_partitions(partitions, *others)

    monkeypatch.setattr(round_graphs, "compact_partitions", compact_partitions)
    genome = write_reads(tmp_path / "genome", [random_genome(600_000)])
    options = UnitigOptions(k=249, min_count=1, clean=None)
    whole = unitigs(single(genome), options, RUN)
    assert not numbers
    held = held_memory(16 << 20)
    allowed = max(current_memory() + (16 << 20), LEAST_BUDGET)
    small = unitigs(single(genome), options, RunOptions(threads=2, memory=str(allowed), tmp_dir=tmp_path))
    del held
    assert len(numbers) == 1
    assert numbers[0] > 1
    assert sequences_of(small) == sequences_of(whole)


@pytest.mark.slow
def test_kmers_of_a_round_beyond_the_budget_are_built_in_partitions(tmp_path, monkeypatch, tune):
    """A table of long k-mers takes more than is left; the sequence is one unitig, whose k-mers are made in blocks."""
    numbers = []

    def compact_partitions(partitions, *others):
        numbers.append((partitions.k, partitions.n_partitions))
        return partitioned.compact_partitions(partitions, *others)

    monkeypatch.setattr(round_graphs, "compact_partitions", compact_partitions)
    genome = write_reads(tmp_path / "genome", [random_genome(400_000)])
    options = AssembleOptions(ks=(31, 249), min_count=1)
    whole = assemble(single(genome), options, RUN)
    assert not numbers
    tune(inner_kmers_share=1.0)  # a table of all k-mers
    held = held_memory(16 << 20)
    allowed = max(current_memory() + (16 << 20), LEAST_BUDGET)
    small = assemble(single(genome), options, RunOptions(threads=2, memory=str(allowed), tmp_dir=tmp_path))
    del held
    assert numbers[-1][0] == 249
    assert numbers[-1][1] > 1
    assert sequences_of(small.contigs) == sequences_of(whole.contigs)
    assert small.contigs.kmer_counts.tolist() == whole.contigs.kmer_counts.tolist()
    assert (small.rounds, small.evaluation) == (whole.rounds, whole.evaluation)


def test_rounds_are_reported():
    first, second, last = assemble(single(*PHIX_READS), AssembleOptions(ks=(21, 33, 45)), RUN).rounds
    assert [done.k for done in (first, second, last)] == [21, 33, 45]
    assert first.kmers.n_counted == first.n_read_kmers > second.n_read_kmers > second.kmers.n_counted
    assert first.n_bases_read == second.n_bases_read == last.n_bases_read == 215_400
    assert first.kmers.n_linked == 0 <= min(second.kmers.n_linked, last.kmers.n_linked)
    assert [done.deferred is not None for done in (first, second, last)] == [True, True, False]
    assert first.as_json()["share_counted"] == 1 > second.as_json()["share_counted"] > 0
    assert last.total_bp >= 5386


@pytest.mark.parametrize("walk", ["unitigs", "euler"])
def test_error_free_contigs_are_complete_and_solid(walk, tmp_path):
    reads = simulated(tmp_path / "reads", random_genome(8_000, seed=2), depth=60, circular=True)
    found = assemble(single(reads), AssembleOptions(ks=(21, 31), walk=walk), RUN).evaluation
    assert (found.k, found.n_contig_kmers, found.n_weak, found.n_absent) == (21, 8_000, 0, 0)
    assert (found.completeness, found.explained, found.n_dead_ends) == (1.0, 1.0, 0)
    assert found.is_lower_bound


def two_genomes(directory: Path, deep: int, rare: int) -> tuple[list[str], ReadInputs]:
    """Genomes of 20 kb, and pairs of them in files of their own."""
    genomes = [random_genome(20_000, seed=seed) for seed in (5, 6)]
    paths = [
        simulated(directory / f"{depth}", genome, depth=depth, sub_rate=0.003, seed=depth)
        for genome, depth in zip(genomes, (deep, rare), strict=True)
    ]
    return genomes, single(*paths)


def covered(genome: str, found: Assembly, k: int = 31) -> float:
    """Share of the k-mers of a genome that contigs have."""
    held, wanted = naive.count(sequences_of(found.contigs), k), naive.count([genome], k)
    return sum(kmer in held for kmer in wanted) / len(wanted)


@pytest.mark.slow
def test_a_rare_genome_beside_a_deep_one_is_assembled(tmp_path):
    """A minimum count that suits the deep one alone would take most of the other."""
    (deep, rare), inputs = two_genomes(tmp_path, 60, 6)
    found = assemble(inputs, AssembleOptions(), RUN)
    assert found.counts.min_count == 2
    assert found.rounds[0].kmers.n_mercy > 0
    assert covered(deep, found) > 0.99
    assert covered(rare, found) > 0.9
    backwards = ReadInputs(single=inputs.single[::-1])
    assert sequences_of(assemble(backwards, AssembleOptions(), RunOptions(threads=1)).contigs) == sequences_of(
        found.contigs
    )


@pytest.mark.slow
def test_alleles_of_a_heterozygous_sample_become_one(tmp_path):
    """At the largest k, bubbles of variants at 1 % are one chain."""
    genome = random_genome(20_000, seed=7)
    generator = random.Random(7)
    other = "".join(b if generator.random() > 0.01 else "ACGT"["CGTA".index(b)] for b in genome)
    paths = [simulated(tmp_path / name, one, depth=20) for name, one in (("one", genome), ("other", other))]
    found = assemble(single(*paths), AssembleOptions(), RUN)
    assert 19_500 < found.contigs.lengths[0] < 20_500
    assert found.contigs.lengths[1:].sum() < 500


def test_a_k_above_the_longest_read_is_dropped(tmp_path, caplog):
    _genome, reads = repeat_between_flanks(3)
    inputs = single(write_reads(tmp_path / "reads", reads))
    with log.new_run(), caplog.at_level("INFO", "dbg"):
        found = assemble(inputs, AssembleOptions(ks=(81, 127), min_count=2), RUN)
    assert [done.k for done in found.rounds] == [81]
    assert "without 127, as the longest read has 120 bp" in caplog.text
    with pytest.raises(ParameterError, match="k is 121 or more, but the longest read has 120 bases"):
        assemble(inputs, AssembleOptions(ks=(121, 127)), RUN)


def test_euler_walks_of_several_k(tmp_path):
    genome, reads = repeat_between_flanks(4)
    inputs = single(write_reads(tmp_path / "reads", reads))
    found = assemble(inputs, AssembleOptions(ks=(21, 81), min_count=2, walk="euler"), RUN)
    assert_whole(found, genome)


def test_euler_on_phix(tmp_path):
    genome = PHIX.read_text().split("\n", 1)[1].replace("\n", "")
    reads = simulated(tmp_path / "reads", genome, depth=60, circular=True)
    found = assemble(single(reads), AssembleOptions(ks=(31,), walk="euler"), RUN)
    (contig,) = sequences_of(found.contigs)
    strands = (genome, reverse_complement(genome))
    assert contig == min(s[i:] + s[:i] for s in strands for i in range(len(s)))
    assert found.contigs.circular.tolist() == [True]


def test_euler_walks_a_fork_in_two_trails(tmp_path):
    """What both reads share is there twice, as it is covered twice as well."""
    a, b, c = (random_genome(300, seed) for seed in (1, 2, 3))
    forked = [a + b[:150], a + c[:150]]
    reads = write_reads(tmp_path / "reads", forked * 20)
    found = assemble(single(reads), AssembleOptions(ks=(21,), walk="euler"), RUN)
    assert sequences_of(found.contigs) == sorted(map(canonical, forked))


def test_euler_through_both_strands_of_an_inverted_repeat(tmp_path):
    """A linear molecule whose strands are one component: it comes once, not both strands in one sequence."""
    arm = random_genome(60, 4)
    genome = random_genome(900, 5) + arm + random_genome(500, 6) + reverse_complement(arm) + random_genome(800, 7)
    reads = write_reads(tmp_path / "reads", tiles(genome, step=1))
    found = assemble(single(reads), AssembleOptions(ks=(31,), walk="euler", min_count=1), RUN)
    assert found.contigs.lengths.tolist() == [len(genome)]
    assert naive.count(sequences_of(found.contigs), 31) == naive.count([genome], 31)


@pytest.mark.parametrize("k", [3, 5, pytest.param(31, marks=pytest.mark.slow), 127, 255])
def test_a_genome_of_a_megabase_as_reads(k, tmp_path):
    """All k-mers are there once: nothing may be taken for an error."""
    n_bases = 1_000_000 if k == 31 else 20_000
    genome = random_genome(n_bases)
    reads = write_reads(tmp_path / "genome", [genome])
    found = assemble(single(reads), AssembleOptions(ks=() if k == 31 else (k,), min_contig_bp=0), RUN)
    assert found.counts.choice.k == k
    assert found.counts.min_count == 1
    if k >= 31:
        assert sequences_of(found.contigs) == [canonical(genome)]


def all_unitigs(path: Path, reads: list[str], k: int) -> list[str]:
    found = unitigs(single(write_reads(path / "reads", reads)), UnitigOptions(k=k, min_count=1, clean=None), RUN)
    return sequences_of(found)


TINY = {
    "one read": [random_genome(150)],
    "read of length k": [random_genome(21)],
    "reads of length k": [random_genome(200)[i : i + 21] for i in range(0, 100, 7)],
    "poly-A": ["A" * 100],
    "poly-A and poly-C": ["A" * 100, "C" * 50, "G" * 40],
    "two letters": ["AC" * 60],
    "three letters": ["ACG" * 50],
    "palindrome": [random_genome(40) + reverse_complement(random_genome(40))],
    "palindromes": ["ACGT" * 30, "AT" * 40],
    "equal reads": [random_genome(100)] * 200,
    "empty reads": ["", random_genome(90), "", ""],
    "mostly N": ["N" * 300, "N" * 20 + random_genome(60) + "N" * 20, "NANCNGNT" * 20],
    "both strands": [random_genome(120), reverse_complement(random_genome(120))],
}


@pytest.mark.slow
@pytest.mark.parametrize("reads", TINY.values(), ids=TINY)
@pytest.mark.parametrize("k", [3, 5, 21])
def test_tiny_inputs(reads, k, tmp_path):
    found = all_unitigs(tmp_path, reads, k)
    assert len(found) == len(set(found))
    assert set(found) == naive.unitigs(sorted(naive.count(reads, k)))
    contigs = assemble(single(tmp_path / "reads"), AssembleOptions(ks=(k,), min_contig_bp=0), RUN).contigs
    assert len(contigs)


@pytest.mark.slow
@pytest.mark.parametrize("k", [*range(3, 128, 4), 129, 191, 193, 255])
def test_palindromes_at_every_k(k, tmp_path):
    half = random_genome(150, seed=k)
    read = half + reverse_complement(half)
    assert set(all_unitigs(tmp_path, [read], k)) == naive.unitigs(sorted(naive.count([read], k)))


@pytest.mark.parametrize(
    ("reads", "k", "error", "text"),
    [
        (["ACGT" * 10], (41,), ParameterError, "the longest read has 40 bases"),
        (["ACGTA", "ACG"], (), ParameterError, "the longest read has 5 bases"),
        (["N" * 100], (), NothingToAssembleError, "no read has a base A, C, G or T"),
        (["N" * 100], (3,), NothingToAssembleError, "no read has a base A, C, G or T"),
        (["N"], (), NothingToAssembleError, "no read has a base A, C, G or T"),
        (["ACGTNNNNACGT" * 10], (21,), NothingToAssembleError, "without an ambiguous one"),
        (["", ""], (), NothingToAssembleError, "no read has a base A, C, G or T"),
        (["", ""], (3,), NothingToAssembleError, "no read has a base A, C, G or T"),
        ([random_genome(100)], (31,), NothingToAssembleError, "the longest has 100"),
    ],
)
def test_nothing_can_be_made_of_it(reads, k, error, text, tmp_path):
    with pytest.raises(error, match=text) as caught:
        assemble(single(write_reads(tmp_path / "reads", reads)), AssembleOptions(ks=k), RUN)
    assert caught.value.fix


@pytest.mark.parametrize("ks", [(), (3,)])
def test_no_smaller_k_helps_for_reads_of_one_base(ks, tmp_path):
    with pytest.raises(ParameterError, match=r"but the longest read has 1 base$") as caught:
        assemble(single(write_reads(tmp_path / "reads", ["A", "", "C"])), AssembleOptions(ks=ks), RUN)
    assert caught.value.fix == "give longer reads"


@pytest.mark.parametrize("n_copies", [1, 40])
def test_short_contigs_of_deep_reads_are_not_for_lack_of_reads(n_copies, tmp_path):
    reads = write_reads(tmp_path / "reads", [random_genome(100)] * n_copies)
    with pytest.raises(NothingToAssembleError, match="the longest has 100") as caught:
        assemble(single(reads), AssembleOptions(ks=(31,)), RUN)
    assert ("with low depth" in caught.value.fix) == (n_copies == 1)
    assert ("reads suffice (k-mer depth 40)" in caught.value.fix) == (n_copies > 1)


def test_too_high_a_min_count(tmp_path):
    with pytest.raises(NothingToAssembleError, match="no 31-mer occurs 2 times or more"):
        unitigs(single(PHIX), UnitigOptions(min_count=2), RUN)


def test_too_little_memory(tmp_path):
    with pytest.raises(OutOfMemoryError, match=r"^Out of memory: "):
        unitigs(single(*PHIX_READS), RAW, RunOptions(threads=2, memory="10K", tmp_dir=tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_a_failing_kernel_ends_all_threads(monkeypatch, tune):
    import threading

    def fail(*args):
        raise ValueError("broken")

    tune(sorted_bases=0)
    end_idle_threads()
    before = threading.active_count()
    monkeypatch.setattr("debruijn_gpu.backends.kmers.cpu.stores.count_buckets", fail)
    with pytest.raises(ValueError, match="broken"):
        unitigs(single(*PHIX_READS), RAW, RUN)
    monkeypatch.setattr("debruijn_gpu.backends.kmers.cpu.stores.super_kmers", fail)
    with pytest.raises(ValueError, match="broken"):
        unitigs(single(*PHIX_READS), RAW, RUN)
    end_idle_threads()
    assert threading.active_count() == before


def test_the_spectrum_is_that_of_all_kmers(records):
    found = assemble(single(*PHIX_READS), AssembleOptions(ks=(31,)), RUN)
    counts = naive.count([bases.decode() for _name, bases, _qualities in records], 31)
    assert found.counts.spectrum.n_total == sum(counts.values())
    assert found.counts.spectrum.n_distinct == len(counts)


def links_in(gfa: bytes) -> Iterator[tuple[str, str, int]]:
    """Both sequences as the link orients them, and their overlap."""
    rows = [line.split("\t") for line in gfa.decode().splitlines()]
    segments = {row[1]: row[2] for row in rows if row[0] == "S"}
    for row in rows:
        if row[0] == "L":
            a, b = (segments[name] if strand == "+" else reverse_complement(segments[name])
                    for name, strand in (row[1:3], row[3:5]))  # fmt: skip
            yield a, b, int(row[5].removesuffix("M"))


@pytest.mark.parametrize("k", [15, 31])
def test_links_are_overlaps(k, tmp_path):
    """Of the raw graph of reads with errors, and of a circular genome, which overlaps itself only as a unitig."""
    molecule = random_genome(500, seed=9)
    reads = [bases.decode() for _name, bases, _q in fastq_records(PHIX_READS[0])[:300]]
    reads = write_reads(tmp_path / "reads", [*reads, *tiles(molecule * 2)])
    files = files_of(single(reads), tmp_path / "out", ks=(k,), min_count=1, clean=None, min_contig_bp=0)
    links = list(links_in(files["assembly_graph.gfa"]))
    assert {(a[-n:] if n else "") == b[:n] for a, b, n in links} == {True}
    assert [len(a) for a, _b, n in links if n != k - 1] == [500]
    found = unitigs(single(reads), UnitigOptions(k=k, min_count=1, clean=None), RUN)
    with open(tmp_path / "u.gfa", "wb") as stream:
        write_gfa(stream, found, circular_overlap_bp=k - 1)
    links = list(links_in((tmp_path / "u.gfa").read_bytes()))
    assert {n for _a, _b, n in links} == {k - 1}
    assert all(a[-n:] == b[:n] for a, b, n in links)
    assert len(links) == len(found.links)
