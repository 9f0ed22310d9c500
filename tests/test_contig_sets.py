"""Data sets of the tables of contig quality: tables of the user, simulated reads and genomes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.benchmarks import contig_sets
from tests.benchmarks.contig_genome import chromosome, eukaryote_set, mutate, repeat_families

pytestmark = pytest.mark.process


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("name\tcolour\na\tred\n", "expected columns of name"),
        ("name\treference\na\tg.fa\n", "expected reads, or a depth for each genome"),
        ("name\treads_1\tsimulator\na\tr.fq\tmine\n", "simulator dbg or art"),
    ],
)
def test_wrong_tables_of_data_sets_are_refused(tmp_path, table, message):
    (tmp_path / "sets.tsv").write_text(table)
    with pytest.raises(ValueError, match=message):
        contig_sets.read_sets(tmp_path / "sets.tsv")


def test_simulated_reads_come_from_all_genomes_and_are_kept(tmp_path):
    for name, base in (("a", "ACGTT"), ("b", "GGCAT")):
        (tmp_path / f"{name}.fa").write_text(f">{name}\n{base * 200}\n")
    (tmp_path / "sets.tsv").write_text("name\treference\tdepth\tlength\tinsert\nmix\ta.fa,b.fa\t4,2\t50\t150\n")
    (data,) = contig_sets.read_sets(tmp_path / "sets.tsv")
    reads = contig_sets.prepare(data, "dbg", tmp_path)
    with contig_sets.xopen(reads.files[0]) as file:
        names = [line for line in file if line.startswith("@")]
    assert (sum("a" in name for name in names), sum("b" in name for name in names)) == (40, 20)
    written = reads.files[0].stat().st_mtime_ns
    assert contig_sets.prepare(data, "dbg", tmp_path) == reads
    assert reads.files[0].stat().st_mtime_ns == written
    other = contig_sets.prepare(replace(data, seed=2), "dbg", tmp_path)
    assert other.digest != reads.digest


def test_reads_of_art_have_the_profile_of_their_length(tmp_path):
    data = contig_sets.reference_sets(tmp_path / "genome.fa")
    profiles = {each.length: contig_sets._simulation("art", each, 0, tmp_path)[3] for each in data}
    assert profiles == {100: "HS25", 125: "HS25", 150: "HS25", 250: "MSv3"}
    assert len({each.slug for each in data}) == len(data) == 9


def test_eukaryote_has_two_haplotypes_and_repeats(tmp_path):
    data = eukaryote_set(tmp_path, 60_000)
    assert data == eukaryote_set(tmp_path, 60_000)
    first, second = (path.read_bytes().split(b"\n") for path in data.genomes)
    assert [len(line) for line in first[1::2]] == [10_000] * 6
    differing = np.mean(np.frombuffer(first[1], np.uint8) != np.frombuffer(second[1], np.uint8))
    assert 0.005 < differing < 0.02
    assert data.references == data.genomes[:1]
    commands = [contig_sets._simulation("dbg", data, number, tmp_path) for number in (0, 1)]
    assert len({command[command.index("--seed") + 1] for command in commands}) == 2  # the same reads, errors and all
    rng = np.random.default_rng(3)
    bases = chromosome(rng, 1_000_000, repeat_families(rng))
    words = np.lib.stride_tricks.sliding_window_view(bases, 21) @ 4 ** np.arange(21)
    assert len(np.unique(words)) < 0.98 * len(words)
    assert np.array_equal(mutate(rng, bases, 0.0), bases)
