"""`dbg query` through its entry point, against sets of k-mers in Python."""

from __future__ import annotations

import gzip
import io
import json
from fractions import Fraction

import numpy as np
import pytest

from debruijn_gpu.colors.color_sets import ColorSets
from debruijn_gpu.colors.index import ColorIndex
from debruijn_gpu.io.color_index.writing import write_color_index
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.sets.source import HeldKmers
from tests.helpers import codes_of, first_quick, random_sequence
from tests.naive import queries as naive
from tests.naive.kmers import reverse_complement

BLOCK_BYTES = "debruijn_gpu.backends.reads.cpu.block_bytes"
NAMES = ("first", "seco\tnd", "third", "empty")
HEADER = "query\tsample\tkmers\tmatched\tratio\n"


@pytest.fixture(scope="module")
def genomes():
    """Three genomes that share 200 bases, one of them with ambiguous bases, and one without k-mers."""
    rng = np.random.default_rng(4)
    shared = random_sequence(rng, 200)
    second = random_sequence(rng, 300) + shared
    return random_sequence(rng, 400) + shared, second[:50] + "NN" + second[52:], shared + shared[::-1], "ACGT"


@pytest.fixture(scope="module")
def records(genomes):
    """Records of both strands, chimeric, ambiguous, foreign, short and empty ones."""
    rng = np.random.default_rng(5)
    found = []
    for i in range(90):
        genome = genomes[i % 3]
        start, n = int(rng.integers(len(genome) - 90)), int(rng.integers(10, 90))
        record = genome[start : start + n] if i % 5 else random_sequence(rng, n)
        if i % 4 == 0:
            record = record[:7] + "N" + record[8:]
        if i % 7 == 0:
            record += genomes[(i + 1) % 3][100:160]
        found.append(reverse_complement(record) if i % 3 == 0 and "N" not in record else record)
    return [*found, "", "ACGT", "N" * 60, genomes[0] * 3]


def write_index(path, genomes, k, is_canonical):
    """Write a colour index, the slow way."""
    samples = [naive.sample_kmers([genome], k, is_canonical) for genome in genomes]
    kmers = sorted(set().union(*samples))
    of_kmers = [tuple(i for i, one in enumerate(samples) if kmer in one) for kmer in kmers]
    sets = list(dict.fromkeys(of_kmers))
    ptr, members = np.cumsum([0, *map(len, sets)]), np.array([i for one in sets for i in one], np.uint32)
    marks = np.array([1 + sets.index(one) for one in of_kmers], np.uint32)
    table = KmerTable(k, codes_of(kmers), marks, is_canonical)
    sizes = np.array([len(one) for one in samples])
    stream = io.BytesIO()
    colors = ColorSets(ptr, members)
    write_color_index(stream, ColorIndex(k, is_canonical, HeldKmers("x", table), colors, NAMES, sizes))
    path.write_bytes(stream.getvalue())
    return samples


def fasta(records):
    return "".join(f">r{i} more\n{record[:40]}\n{record[40:]}\n" for i, record in enumerate(records))


def fastq(records):
    return "".join(f"@r{i} more\n{record}\n+\n{'I' * len(record)}\n" for i, record in enumerate(records))


@pytest.fixture
def place(tmp_path, monkeypatch, records):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.fa").write_text(fasta(records))
    (tmp_path / "q.fq").write_text(fastq(records))
    (tmp_path / "q.fa.gz").write_bytes(gzip.compress(fasta(records).encode()))
    return tmp_path


def queried(dbg, *args):
    code, out, err = dbg("query", *args, "-q")
    assert (code, err) == (0, "")
    return out


def decimals(part, whole):
    millionths = part * 10**6 // max(1, whole)
    return f"{millionths // 10**6}.{millionths % 10**6:06d}"


def shown(name):
    return name.replace("\t", "\\t")


def expected_tsv(samples, records, k, is_canonical, ratio, positions=False):
    every, lines = set().union(*samples), []
    for i, record in enumerate(records):
        kmers = naive.record_kmers(record, k, is_canonical)
        n = naive.n_of(kmers)
        rows = [(shown(NAMES[s]), m, naive.runs(samples[s], kmers)) for s, m in naive.hits(samples, kmers, ratio)]
        for name, m, runs in rows or [("*", naive.n_matched(every, kmers), "")]:
            more = f"\t{runs}" if positions else ""
            lines.append(f"r{i}\t{name}\t{n}\t{m}\t{decimals(m, n)}{more}\n")
    return (HEADER.replace("\n", "\tpositions\n") if positions else HEADER) + "".join(lines)


@pytest.mark.parametrize("is_canonical", [True, False])
@pytest.mark.parametrize("k", first_quick([15, 40, 22], 2))
def test_hits_are_those_of_sets_of_kmers(dbg, place, genomes, records, k, is_canonical):
    samples = write_index(place / "x.dbgc", genomes, k, is_canonical)
    for ratio in ("0", "0.5", "0.8", "1"):
        expected = expected_tsv(samples, records, k, is_canonical, Fraction(ratio))
        for name in ("q.fa", "q.fq", "q.fa.gz"):
            assert queried(dbg, "x.dbgc", name, "--min-ratio", ratio) == expected
    expected = expected_tsv(samples, records, k, is_canonical, Fraction("0.8"))
    assert queried(dbg, "x.dbgc", "q.fa") == expected
    with_runs = expected_tsv(samples, records, k, is_canonical, Fraction("0.1"), positions=True)
    assert queried(dbg, "x.dbgc", "q.fa", "--min-ratio", "0.1", "--positions", "rle") == with_runs


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("block_bytes", [300, 5000])
def test_threads_and_blocks_change_nothing(dbg, place, genomes, records, monkeypatch, threads, block_bytes):
    write_index(place / "x.dbgc", genomes, 15, True)
    args = [("q.fq",), ("q.fa", "--positions", "rle"), ("q.fq", "--per-file"), ("q.fa", "q.fq", "--format", "jsonl")]
    whole = [queried(dbg, "x.dbgc", *more) for more in args]
    monkeypatch.setattr(BLOCK_BYTES, block_bytes)
    assert [queried(dbg, "x.dbgc", *more, "-t", threads) for more in args] == whole


def test_lines_of_json(dbg, place, genomes, records):
    samples = write_index(place / "x.dbgc", genomes, 15, True)
    out = queried(dbg, "x.dbgc", "q.fa", "--min-ratio", "0.3", "--positions", "rle", "-o", "-", "--format", "jsonl")
    assert queried(dbg, "x.dbgc", "q.fa", "--min-ratio", "0.3", "--positions", "rle", "-o", "x.jsonl") == ""
    assert (place / "x.jsonl").read_text() == out
    every = set().union(*samples)
    for i, (line, record) in enumerate(zip(out.splitlines(), records, strict=True)):
        kmers = naive.record_kmers(record, 15)
        hits = naive.hits(samples, kmers, Fraction(3, 10))
        assert json.loads(line) == {
            "query": f"r{i}",
            "kmers": naive.n_of(kmers),
            "indexed": naive.n_matched(every, kmers),
            "matched": {NAMES[s]: n for s, n in hits},
            "positions": {NAMES[s]: naive.runs(samples[s], kmers) for s, _n in hits},
        }


def test_matrix(dbg, place, genomes, records):
    samples = write_index(place / "x.dbgc", genomes, 15, True)
    expected = ["\t".join(("query", "kmers", *map(shown, NAMES)))]
    for i, record in enumerate(records):
        kmers = naive.record_kmers(record, 15)
        found = dict(naive.hits(samples, kmers, Fraction(4, 5)))
        cells = [naive.n_of(kmers), *(found.get(s, 0) for s in range(len(NAMES)))]
        expected.append("\t".join((f"r{i}", *map(str, cells))))
    assert queried(dbg, "x.dbgc", "q.fq", "--format", "matrix").splitlines() == expected


def test_files_are_queries(dbg, place, genomes, records):
    """As the two files of pairs are."""
    samples = write_index(place / "x.dbgc", genomes, 15, True)
    halves = records[::2], records[1::2]
    for i, half in enumerate(halves, 1):
        (place / f"mates_{i}.fq").write_text(fastq(half))
    (place / "nothing.fa").write_text(">a\n>b\nACG\n")
    lines = [HEADER]
    for i, half in enumerate(halves, 1):
        kmers = [kmer for record in half for kmer in naive.record_kmers(record, 15)]
        n = naive.n_of(kmers)
        for s, m in naive.hits(samples, kmers, Fraction(1, 5)):
            lines.append(f"mates_{i}\t{shown(NAMES[s])}\t{n}\t{m}\t{decimals(m, n)}\n")
    lines.append("nothing\t*\t0\t0\t0.000000\n")
    args = "mates_1.fq", "mates_2.fq", "nothing.fa", "--per-file", "--min-ratio", "0.2"
    assert queried(dbg, "x.dbgc", *args) == "".join(lines)
    of_json = [json.loads(line) for line in queried(dbg, "x.dbgc", *args, "--format", "jsonl").splitlines()]
    assert [one["query"] for one in of_json] == ["mates_1", "mates_2", "nothing"]
    assert of_json[2]["matched"] == {}


@pytest.mark.parametrize("strands", ["--canonical", "--forward"])
def test_sets_of_kmers_are_samples(dbg, place, genomes, records, strands):
    for i, genome in enumerate(genomes[:3]):
        (place / f"s{i}.fa").write_text(f">x\n{genome}\n")
        assert dbg("count", "-k", 17, f"s{i}.fa", strands, "-o", f"s{i}.dbgk", "-q")[0] == 0
    samples = [naive.sample_kmers([genome], 17, strands == "--canonical") for genome in genomes[:3]]
    expected = expected_tsv(samples, records, 17, strands == "--canonical", Fraction("0.4"))
    for i, name in enumerate(NAMES[:3]):
        expected = expected.replace(f"\t{shown(name)}\t", f"\ts{i}\t")
    assert queried(dbg, "s0.dbgk,s1.dbgk,s2.dbgk", "q.fq", "--min-ratio", "0.4") == expected
    alone = expected_tsv(samples[1:2], records, 17, strands == "--canonical", Fraction("0.4"))
    alone = alone.replace("\tfirst\t", "\ts1\t")
    assert queried(dbg, "s1.dbgk", "q.fq", "--min-ratio", "0.4") == alone
    (place / "s1.dbgk.gz").write_bytes(gzip.compress((place / "s1.dbgk").read_bytes()))
    assert queried(dbg, "s1.dbgk.gz", "q.fq", "--min-ratio", "0.4") == alone
    assert queried(dbg, "s0.dbgk,s1.dbgk.gz,s2.dbgk", "q.fq", "--min-ratio", "0.4") == expected


@pytest.mark.parametrize("k", [17, 40])
def test_sets_in_temporary_files_give_the_same_bytes(dbg, place, genomes, tune, k, tmp_path):
    for i, genome in enumerate(genomes[:3]):
        (place / f"s{i}.fa").write_text(f">x\n{genome}\n")
        assert dbg("count", "-k", k, f"s{i}.fa", "-o", f"s{i}.dbgk", "-q")[0] == 0
    args = ("s0.dbgk,s1.dbgk,s2.dbgk", "q.fq", "--min-ratio", "0", "--positions", "rle")
    expected = queried(dbg, *args)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    tune(partitions_share=0, range_kmers=100, waiting_colors=1)
    assert queried(dbg, *args, "--tmp-dir", scratch) == expected
    assert not list(scratch.iterdir())


def test_records_without_names_have_their_numbers(dbg, place, genomes):
    write_index(place / "x.dbgc", genomes, 15, True)
    lines = [genomes[0][:60], genomes[2][:60]]
    (place / "plain.txt").write_text("\n".join(lines) + "\n")
    (place / "unnamed.fa").write_text("".join(f">\n{line}\n" for line in lines))
    (place / "hostile.fa").write_bytes(b'>a"\\\xff\x7f\tb\n' + lines[0].encode() + b"\n")
    out = queried(dbg, "x.dbgc", "plain.txt")
    assert [line.split("\t")[0] for line in out.splitlines()[1:]] == ["1", "2", "2", "2"]
    assert queried(dbg, "x.dbgc", "unnamed.fa") == out
    found = json.loads(queried(dbg, "x.dbgc", "hostile.fa", "--format", "jsonl"))
    assert found["query"] == 'a"\\\\xff\x7f'


def test_an_index_without_kmers(dbg, place, records):
    write_index(place / "x.dbgc", ["", "", "", ""], 15, True)
    out = queried(dbg, "x.dbgc", "q.fa", "--min-ratio", "0")
    assert [line.split("\t")[1::2] for line in out.splitlines()[1:]] == [["*", "0"]] * len(records)


def test_queries_without_kmers_are_reported(dbg, place, genomes):
    write_index(place / "x.dbgc", genomes, 15, True)
    code, _out, err = dbg("query", "x.dbgc", "q.fa")
    assert code == 0
    assert "records without a 15-mer" in err


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["q.fa", "q.fa"], 64, "these are sequences"),
        (["none.dbgc", "q.fa"], 65, "none.dbgc"),
        (["x.dbgc", "none.fa"], 65, "none.fa"),
        (["x.dbgc,x.dbgk", "q.fa"], 2, "queried alone"),
        (["x.dbgk,d/x.dbgk", "q.fa"], 2, "a set called x"),
        (["x.dbgk,other.dbgk", "q.fa"], 67, "k is 9"),
        (["x.dbgc", "q.fa", "--min-ratio", "1.5"], 2, "--min-ratio"),
        (["x.dbgc", "q.fa", "--min-ratio", "0.1234567"], 2, "six decimals"),
        (["x.dbgc", "q.fa", "--format", "csv"], 2, "no such format"),
        (["x.dbgc", "q.fa", "-o", "x.csv"], 2, "csv by its ending"),
        (["x.dbgc", "q.fa", "-o", "q.fa"], 2, "would be lost"),
        (["x.dbgc", "q.fa", "-o", "x.dbgc"], 2, "would be lost"),
        (["x.dbgc", "q.fa", "--positions", "rle", "--per-file"], 2, "exclude each other"),
        (["x.dbgc", "q.fa", "--positions", "rle", "--format", "matrix"], 2, "exclude each other"),
        (["x.dbgc", "q.fa", "--positions", "rle", "--positions", "all"], 2, "no such format"),
        (["-", "-"], 2, "given twice"),
        (["cut.dbgc", "q.fa"], 64, "truncated"),
        (["x.dbgc", "bad.fq"], 64, "bad.fq: record 1"),
    ],
)
def test_faults_are_one_line(dbg, place, genomes, args, code, message):
    write_index(place / "x.dbgc", genomes, 15, True)
    (place / "cut.dbgc").write_bytes((place / "x.dbgc").read_bytes()[:-9])
    (place / "bad.fq").write_text("@a\nACGT\n+\nII\n")
    (place / "d").mkdir()
    for k, name in ((15, "x.dbgk"), (15, "d/x.dbgk"), (9, "other.dbgk")):
        assert dbg("count", "-k", k, "q.fa", "-o", name, "-q")[0] == 0
    found, out, err = dbg("query", *args, "-q")
    assert (found, out) == (code, "")
    assert message in err
    assert err.count("\n") == 2
