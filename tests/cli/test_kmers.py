"""`dbg kmers`, and sets that `dbg count` writes, through their entry point."""

from __future__ import annotations

import pytest

from debruijn_gpu.io.kmer_sets.layout import MAGIC
from tests.naive import kmer_sets as naive
from tests.naive.kmers import count

K = 7
READS = {
    "a": "ACGTTGCATGCCAAGTCGATTACCGGTAGATCTTGCAGG",
    "b": "GGTAGATCTTGCAGGCTATTCGCGAATACGTTGCATGCC",
    "c": "TTGCAGGCTA",
}


def as_text(counts):
    return "".join(f"{kmer}\t{number}\n" for kmer, number in sorted(counts.items()))


@pytest.fixture
def sets(dbg, tmp_path, monkeypatch):
    """Sets of three reads in the current directory, and their counts."""
    monkeypatch.chdir(tmp_path)
    for name, read in READS.items():
        (tmp_path / f"{name}.fa").write_text(f">{name}\n{read}\n")
        assert dbg("count", "-k", K, f"{name}.fa", "-o", f"{name}.dbgk", "-q") == (0, "", "")
    return {name: dict(count([read], K)) for name, read in READS.items()}


def test_count_writes_the_same_kmers_in_every_format(dbg, sets):
    expected = as_text(sets["a"])
    for ending in ("dbgk", "kff", "fasta", "tsv", "dbgk.gz"):
        assert dbg("count", "-k", K, "a.fa", "-o", f"x.{ending}", "-q") == (0, "", "")
        assert dbg("kmers", "dump", f"x.{ending}", "-q") == (0, expected, "")
    assert dbg("count", "-k", K, "a.fa", "--top", 5, "-o", "top.dbgk", "-q")[0] == 0
    assert len(dbg("kmers", "dump", "top.dbgk", "-q")[1].splitlines()) == 5
    code, out, err = dbg("count", "-k", K, "a.fa", "--branching", "-o", "x.dbgk")
    assert (code, out) == (2, "")
    assert "--branching writes numbers of neighbours" in err


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("device", ["auto", "cpu"])
def test_operations_equal_dictionaries(dbg, sets, threads, device):
    every = list(sets.values())
    files = [f"{name}.dbgk" for name in sets]
    more = ("-q", "-t", threads, "--backend", device, "-m", "300M")

    def written(*words):
        code, out, err = dbg("kmers", *words, *more)
        assert (code, err) == (0, "")
        return out

    for operation in ("subtract", "difference"):
        expected = every[0]
        for other in every[1:]:
            expected = naive.apply(operation, "diff", expected, other)
        assert written(operation, *files) == as_text(expected)
    assert written("union", *files) == as_text(naive.over_all(every, "sum", 1, 3))
    assert written("intersect", *files) == as_text(naive.over_all(every, "min", 3, 3))
    assert written("symmetric", *files) == as_text(naive.over_all(every, "sum", 1, 1))
    assert written("union", *files, "--at-least", 2, "--count", "max") == as_text(naive.over_all(every, "max", 2, 3))
    assert written("union", *files, "--exactly", 2) == as_text(naive.over_all(every, "sum", 2, 2))
    assert written("union", *files, "--min-count", 2) == as_text(naive.over_all(every, "sum", 1, 3, 2))
    union = naive.apply("union", "sum", every[0], every[1])
    expected = naive.apply("subtract", "left", union, every[2])
    assert written("expr", "a + b - x", "a.dbgk", "b.dbgk", "x=c.dbgk") == as_text(expected)


def test_results_are_the_same_bytes_for_every_input_format(dbg, sets):
    for name in sets:
        for ending in ("kff", "tsv", "fasta"):
            assert dbg("kmers", "dump", f"{name}.dbgk", "-o", f"{name}.{ending}", "-q")[0] == 0
    found = set()
    for first, second in (("a.dbgk", "b.dbgk"), ("a.kff", "b.tsv"), ("a.fasta", "b.kff")):
        assert dbg("kmers", "union", first, second, "-o", "x.dbgk", "-q") == (0, "", "")
        with open("x.dbgk", "rb") as file:
            found.add(file.read())
    assert len(found) == 1
    assert found.pop().startswith(MAGIC)


def test_info_shows_k_and_counts(dbg, sets):
    code, out, err = dbg("kmers", "info", "a.dbgk", "--format", "tsv", "--check", "-q")
    assert (code, err) == (0, "")
    numbers = list(sets["a"].values())
    figures = [len(numbers), sum(numbers), min(numbers), max(numbers)]
    assert out.splitlines()[1].split("\t") == ["a.dbgk", "dbgk", str(K), "canonical", *map(str, figures)]
    assert '"kmers": ' in dbg("kmers", "info", "a.dbgk", "--format", "json", "-q")[1]


def test_histogram_counts_kmers(dbg, sets):
    numbers = list(sets["a"].values())
    expected = "".join(f"{n} {numbers.count(n)}\n" for n in sorted(set(numbers)))
    assert dbg("kmers", "histogram", "a.dbgk", "-q") == (0, expected, "")


def test_compare_writes_matrix_pairs_and_picture(dbg, sets, tmp_path):
    files = [f"{name}.dbgk" for name in sets]
    code, out, err = dbg("kmers", "compare", *files, "--measure", "shared", "-q")
    assert (code, err) == (0, "")
    rows = [row.split("\t") for row in out.splitlines()]
    assert rows[0] == ["set", "a", "b", "c"]
    for row, one in zip(rows[1:], sets.values(), strict=True):
        assert row[1:] == [str(len(one.keys() & other.keys())) for other in sets.values()]
    pairs = dbg("kmers", "compare", *files, "--pairs", "-q")[1].splitlines()
    assert len(pairs) == 4
    shared, union = len(sets["a"].keys() & sets["b"].keys()), len(sets["a"].keys() | sets["b"].keys())
    assert float(pairs[1].split("\t")[5]) == pytest.approx(shared / union, abs=1e-6)
    for ending, start in (("svg", b"<?xml"), ("png", b"\x89PNG")):
        assert dbg("kmers", "compare", *files, "-o", f"x.{ending}", "-q")[0] == 0
        assert (tmp_path / f"x.{ending}").read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("words", "code", "what"),
    [
        ("union a.dbgk k5.dbgk", 67, "k5.dbgk: k is 5, and that of a.dbgk is 7"),
        ("union a.dbgk forward.dbgk", 67, "a.dbgk holds canonical k-mers, and forward.dbgk"),
        ("union a.dbgk a.fa", 64, "a.fa: these are sequences, not a set"),
        ("union a.dbgk half.dbgk", 64, "half.dbgk: the k-mer set is truncated"),
        ("info damaged.dbgk --check", 64, "damaged.dbgk: the k-mer set is damaged: block 1"),
        ("dump damaged.dbgk", 64, "damaged.dbgk: the k-mer set is damaged: block 1"),
        ("dump missing.dbgk", 65, "missing.dbgk: No such file"),
        ("dump missing.kmc_pre", 65, "missing.kmc_pre: No such file"),
        ("compare a.dbgk other/a.dbgk", 67, "two sets are called a"),
        ("expr a+a x=a.dbgk x=b.dbgk", 67, "two sets are called x"),
        ("expr a+x a.dbgk", 2, "there is no set x"),
        ("union a.dbgk b.dbgk --at-least 3", 67, "--at-least is 3, and there are 2 sets"),
        ("compare a.dbgk --measure size", 2, "--measure size: no such measure"),
        ("union a.dbgk --count mean", 2, "--count mean: no such rule"),
        ("union a.dbgk -o x.gfa", 2, "gfa by its ending"),
    ],
)
def test_bad_input_is_one_line(dbg, sets, tmp_path, words, code, what):
    dbg("count", "-k", 5, "a.fa", "-o", "k5.dbgk", "-q")
    dbg("count", "-k", K, "--forward", "a.fa", "-o", "forward.dbgk", "-q")
    content = (tmp_path / "a.dbgk").read_bytes()
    (tmp_path / "half.dbgk").write_bytes(content[: len(content) // 2])
    (tmp_path / "damaged.dbgk").write_bytes(content[:70] + bytes([content[70] ^ 1]) + content[71:])
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.dbgk").write_bytes(content)
    found, out, err = dbg("kmers", *words.split())
    lines = [line for line in err.splitlines() if not line.startswith("[dbg]")]
    assert (found, out, len(lines)) == (code, "", 2)
    assert what in lines[0]


def test_a_failed_run_leaves_no_file(dbg, sets, tmp_path):
    content = bytearray((tmp_path / "a.dbgk").read_bytes())
    content[70] ^= 1
    (tmp_path / "damaged.dbgk").write_bytes(content)
    assert dbg("kmers", "union", "b.dbgk", "damaged.dbgk", "-o", "x.dbgk")[0] == 64
    assert not (tmp_path / "x.dbgk").exists()
