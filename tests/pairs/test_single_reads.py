"""Repeats that single reads resolve, without pairs."""

from __future__ import annotations

import json
import random

import pytest

from debruijn_gpu.assembly.options import AssembleOptions
from debruijn_gpu.pairs import following, resolution
from debruijn_gpu.pipeline import assemble
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run.options import RunOptions
from tests.helpers import first_quick
from tests.naive.kmers import reverse_complement
from tests.pairs.examples import RUN, contigs_of, files_of, is_part, paired, pairs_of, with_repeat

READ_BP, KS = 100, (31, 61)
LENGTH = 6_000


def reads_of(genome, depth=30, read_bp=READ_BP, seed=1):
    """Reads without errors, of both strands."""
    chance = random.Random(seed)
    starts = [chance.randrange(len(genome) - read_bp + 1) for _ in range(depth * len(genome) // read_bp)]
    reads = [genome[start : start + read_bp] for start in [0, *starts, len(genome) - read_bp]]
    return [reverse_complement(read) if chance.random() < 0.5 else read for read in reads]


def write(place, reads):
    place.mkdir(parents=True, exist_ok=True)
    path = place / "reads.fa"
    path.write_text("".join(f">{i}\n{read}\n" for i, read in enumerate(reads)))
    return ReadInputs(single=(str(path),))


@pytest.fixture
def genome():
    """Two copies of a repeat that is longer than the largest k, and shorter than a read."""
    return with_repeat(LENGTH, 75, (1_500, 4_000))


def assembled(place, genome, **options):
    return assemble(write(place, reads_of(genome)), AssembleOptions(ks=KS, **options), RUN)


def test_reads_through_a_repeat_join_both_sides(genome, tmp_path):
    (contig,) = contigs_of(assembled(tmp_path, genome))
    assert is_part(contig, genome)
    assert len(contig) == len(genome)


def test_repeat_longer_than_reads_stays_open(tmp_path):
    genome = with_repeat(LENGTH, 150, (1_500, 4_000))
    contigs = contigs_of(assembled(tmp_path, genome))
    assert len(contigs) > 2
    assert all(is_part(contig, genome) for contig in contigs)


def test_files_have_no_scaffolds_and_report_what_was_joined(genome, tmp_path):
    files = files_of(write(tmp_path, reads_of(genome)), tmp_path / "out", ks=KS)
    assert not {"scaffolds.fasta", "scaffolds.agp", "scaffolds.tsv"} & set(files)
    report = json.loads(files["report.json"])
    assert report["pairs"]["n_joined"] == 2
    assert report["pairs"]["n_open_gaps"] == 0
    assert report["scaffolds"] is None
    assert report["insert_sizes"]["inputs"] == []
    paths = [line for line in files["assembly_graph.gfa"].decode().splitlines() if line.startswith("P\t")]
    assert len(paths) == 1


@pytest.mark.parametrize("options", [{"walk": "euler"}, {"clean": None}, {"ks": (61,)}])
def test_other_walks_and_raw_graphs_resolve_nothing(genome, tmp_path, options):
    chosen = {"ks": KS, "min_count": 1, **options}
    files = files_of(write(tmp_path, reads_of(genome)), tmp_path / "out", **chosen)
    assert "pairs" not in json.loads(files["report.json"])
    assert "gap_closures.tsv" not in files


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 3])
def test_order_strand_and_threads_do_not_matter(genome, tmp_path, threads):
    reads = reads_of(genome)
    expected = files_of(write(tmp_path / "a", reads), tmp_path / "a" / "out", ks=KS)
    random.Random(5).shuffle(reads)
    turned = [reverse_complement(read) for read in reads]
    found = files_of(write(tmp_path / "b", turned), tmp_path / "b" / "out", RunOptions(threads=threads), ks=KS)
    assert found == expected


@pytest.mark.slow
@pytest.mark.parametrize("seed", first_quick(range(6)))
def test_no_contig_is_wrong(tmp_path, seed):
    """Copies of repeats of several lengths, few reads."""
    genome = with_repeat(8_000, 40 + 20 * seed, (1_000, 2_500, 5_000), seed)
    for depth in (6, 12):
        reads = reads_of(genome, depth, seed=seed)
        contigs = contigs_of(assemble(write(tmp_path, reads), AssembleOptions(ks=(21, 41, 61, 81)), RUN))
        assert all(is_part(contig, genome) for contig in contigs)


def test_unitigs_are_cut_and_ends_trimmed_before(genome, tmp_path, monkeypatch):
    done = []
    for name in ("check_unitigs", "with_held_ends", "resolve"):
        function = getattr(resolution, name)

        def noted(*arguments, name=name, function=function, **options):
            done.append(name)
            return function(*arguments, **options)

        monkeypatch.setattr(resolution, name, noted)
    assembled(tmp_path, genome)
    assert done == ["check_unitigs", "with_held_ends", "resolve"]


def test_nothing_is_joined_by_elimination_and_no_gap_stays_open(genome, tmp_path, monkeypatch):
    def refuse(*_arguments, **_options):
        raise AssertionError("needs pairs")

    monkeypatch.setattr(following, "LeftOver", refuse)
    monkeypatch.setattr(resolution, "ArrayGaps", refuse)
    assert len(contigs_of(assembled(tmp_path / "single", genome))) == 1
    with pytest.raises(AssertionError, match="needs pairs"):
        assemble(paired(tmp_path, pairs_of(genome)), AssembleOptions(ks=KS), RUN)


def test_as_many_fragments_are_expected_as_have_both_mates_placed(genome, tmp_path, monkeypatch):
    found = []
    links = following.Links
    monkeypatch.setattr(following, "Links", lambda *arguments: found.append(arguments[3]) or links(*arguments))
    inputs = paired(tmp_path, pairs_of(genome))
    for share in (1.0, 0.25):
        monkeypatch.setattr(following, "share_of_both", lambda *_arguments, share=share: share)
        assemble(inputs, AssembleOptions(ks=KS), RUN)
    assert found[1][0] == pytest.approx(found[0][0] / 4)
