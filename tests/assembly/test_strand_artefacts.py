"""Branches that reads of one strand alone have, on every backend at hand."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.assembly.clean_options import CleanOptions
from debruijn_gpu.assembly.intervals import gathered
from debruijn_gpu.assembly.options import AssembleOptions
from debruijn_gpu.assembly.strand_artefacts import strand_artefacts
from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.pipeline import assemble
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run.options import RunOptions
from tests.assembly.examples import compacted
from tests.benchmarks.artefact_reads import CONTEXT_BP, with_artefacts
from tests.helpers import batch_of, random_sequence, sequences_of, unpack
from tests.naive.kmers import count, reverse_complement

pytestmark = pytest.mark.cuda

K = 11
RUN = RunOptions(threads=2)
RNG = np.random.default_rng(5)


def piece(middle: str) -> str:
    """A sequence with a middle of its own."""
    return random_sequence(RNG, K) + middle + random_sequence(RNG, K)


def changed(sequence: str, at: int, base: str) -> str:
    """A sequence with one base changed."""
    return sequence[:at] + base + sequence[at + 1 :]


#: Each with the same base changed; the second has GG before it.
PIECES = {"plain": (piece("ATAC"), K + 2), "motif": (piece("AGGTA"), K + 3)}
BRANCHES = {name: changed(sequence, at, "C" if sequence[at] != "C" else "G") for name, (sequence, at) in PIECES.items()}


def read_of(sequence: str, strand: str) -> str:
    return sequence if strand == "+" else reverse_complement(sequence)


def found(backend, name: str, branch_strands: str, rival_strands: str = "+-" * 15, chance: float = 0.01) -> list[str]:
    """The unitigs found in a graph of a piece and its branch, of reads of these strands."""
    sequence, branch = PIECES[name][0], BRANCHES[name]
    reads = [read_of(sequence, strand) for strand in rival_strands]
    reads += [read_of(branch, strand) for strand in branch_strands]
    graph = compacted(backend, reads, K)
    is_found = strand_artefacts(graph, [batch_of(reads).moved(backend.to_device)], 3 * K, chance, RUN, backend)
    sequences = unpack(graph.sequences.moved(backend.to_host))
    return [sequences[i] for i in np.flatnonzero(backend.to_host(is_found))]


def is_branch(sequences: list[str], name: str) -> bool:
    """Whether exactly the branch is found."""
    window = BRANCHES[name][PIECES[name][1] - K + 1 : PIECES[name][1] + K]
    return [min(one, reverse_complement(one)) for one in sequences] == [min(window, reverse_complement(window))]


@pytest.mark.parametrize("strand", "+-")
@pytest.mark.parametrize("name", ["plain", "motif"])
def test_a_branch_of_one_strand_is_found(backend, name, strand):
    assert is_branch(found(backend, name, strand * 12), name)


@pytest.mark.parametrize("strands", ["+" * 11 + "-", "+-" * 6, "+" * 6], ids=["one_other", "both", "few"])
def test_a_branch_that_may_be_of_the_genome_stays(backend, strands):
    """Six reads are of one strand by chance in 1 of 32 cases."""
    assert found(backend, "plain", strands) == []


def test_the_rival_is_of_both_strands_and_deeper(backend):
    assert found(backend, "plain", "+" * 12, "+" * 30) == []
    assert found(backend, "plain", "+" * 12, "+-" * 8) == []
    assert is_branch(found(backend, "plain", "+" * 12, "+" * 22 + "-" * 8), "plain")


def test_the_chance_is_that_of_all_reads_on_one_strand(backend):
    """Of 6 reads, 1 of 31; and three branches of both strands are taken to be unseen."""
    assert found(backend, "plain", "+" * 6, chance=2.9 / 31) == []
    assert is_branch(found(backend, "plain", "+" * 6, chance=3.1 / 31), "plain")


def test_one_read_tells_nothing(backend):
    assert found(backend, "plain", "+", chance=1.0) == []
    assert is_branch(found(backend, "plain", "++++", chance=0.5), "plain")


def test_reads_are_counted_over_batches_and_long_branches_stay(backend):
    sequence, branch = PIECES["plain"][0], BRANCHES["plain"]
    reads = [read_of(sequence, strand) for strand in "+-" * 15] + [branch] * 12
    graph = compacted(backend, reads, K)
    batches = [batch_of(reads[start::3]).moved(backend.to_device) for start in range(3)]
    for some in (batches, batches[::-1]):
        assert backend.to_host(strand_artefacts(graph, some, 3 * K, 0.01, RUN, backend)).sum() == 1
    assert not backend.to_host(strand_artefacts(graph, batches, K - 1, 0.01, RUN, backend)).any()


@pytest.mark.parametrize("ks", [(3, 5), (7, 9), (15, 17)])
def test_k_below_the_length_of_motifs_and_words(tmp_path, ks):
    path = tmp_path / "reads.fa"
    rng = np.random.default_rng(6)
    reads = [random_sequence(rng, 15) for _ in range(60)] + [random_sequence(rng, 120)] * 3
    path.write_text("".join(f">{i}\n{read}\n" for i, read in enumerate(reads)))
    result = assemble(ReadInputs(single=(str(path),)), AssembleOptions(ks=ks, min_contig_bp=0), RunOptions(threads=1))
    assert len(result.contigs)


@pytest.fixture(scope="module")
def artefacts(tmp_path_factory):
    """A genome of 12 kb, and reads at 40x. A third of those of one strand are wrong behind each GGC."""
    rng = np.random.default_rng(5)
    genome = random_sequence(rng, 12_000)
    path = tmp_path_factory.mktemp("artefacts") / "reads.fa"
    with path.open("wb") as out:
        for number, start in enumerate(rng.integers(0, len(genome) - 100, 40 * len(genome) // 100).tolist()):
            read = read_of(genome[start : start + 100], "+-"[number % 2]).encode()
            out.write(b">%d\n%s\n" % (number, with_artefacts(read, 1.0, 1 / 3, rng)))
    return genome, path


@pytest.mark.slow
@pytest.mark.skipif(is_simulated(), reason="takes more than 64 items")
def test_contigs_have_none_of_them(artefacts, backend):
    genome, path = artefacts
    right = set(count([genome], 31))
    name = "cpu" if backend.is_sequential else "cuda"
    n_contigs, n_wrong = [], []
    for chance in (0.0, 0.01):
        options = AssembleOptions(clean=CleanOptions(strand_chance=chance))
        result = assemble(ReadInputs(single=(str(path),)), options, RunOptions(backend=name, threads=2))
        found = set(count(sequences_of(result.contigs), 31))
        assert len(found & right) > 0.9 * len(right)
        n_contigs.append(len(result.contigs))
        n_wrong.append(len(found - right))
    assert n_contigs[1] < n_contigs[0] / 2
    assert n_wrong[1] < n_wrong[0] / 2


def test_artefacts_of_reads_are_behind_their_motif():
    rng = np.random.default_rng(1)
    read = b"A" * CONTEXT_BP + b"GGCT" + b"A" * 4 + b"GGC"
    assert with_artefacts(read, 1.0, 1.0, rng) == b"A" * CONTEXT_BP + b"GGCA" + b"A" * 4 + b"GGC"
    assert with_artefacts(read, 0.0, 1.0, rng) == with_artefacts(read, 1.0, 0.0, rng) == read


def test_intervals_are_packed_one_after_another():
    graph_bases = batch_of(["ACGTTGCA" * 9]).bases
    bounds = np.array([[0, 3], [3, 5], [40, 72]], np.int64)
    packed = gathered(graph_bases, bounds)
    text = "ACGTTGCA" * 9
    assert packed.tolist() == batch_of([text[0:5] + text[40:72]]).bases.tolist()
