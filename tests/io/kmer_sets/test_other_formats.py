"""KFF, KMC databases, text and FASTA: read as they were written, and refused when damaged."""

from __future__ import annotations

import io
import random
import shutil
import struct
import subprocess

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.kmer_sets import files, kff, runs
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.sets.source import HeldKmers
from tests.helpers import kmers_of, table_of
from tests.naive.kmers import canonical as naive_canonical, count, reverse_complement

RUN = RunOptions(threads=1)


@pytest.fixture(autouse=True)
def host():
    return backends.load(RUN)


def some_counts(n, k, seed=1, canonical=True):
    rng = random.Random(seed)
    kmers = {"".join(rng.choices("ACGT", k=k)) for _ in range(n)}
    choose = naive_canonical if canonical else str
    return {choose(kmer): rng.choice([1, 7, 300, 70000, 2**32 - 1]) for kmer in kmers}


def read(path, canonical=True):
    kmers = files.open_set(str(path), RUN, canonical).kmers
    codes, counts = kmers.read(0, 1 << (2 * kmers.k))
    found = kmers_of(codes, kmers.k)
    assert found == sorted(found)
    kmers.close()
    return dict(zip(found, counts.tolist(), strict=True))


@pytest.mark.parametrize("k", [1, 4, 5, 31, 32, 33, 64, 101])
@pytest.mark.parametrize("file_format", ["dbgk", "kff", "tsv", "fasta"])
@pytest.mark.parametrize("n", [1, 40])
def test_what_is_written_is_read(tmp_path, file_format, k, n):
    counts = some_counts(n, k)
    path = tmp_path / "set"
    with open(path, "wb") as stream:
        files.write_table(stream, file_format, table_of(counts, k))
    assert read(path) == counts


@pytest.mark.parametrize("file_format", ["dbgk", "kff"])
def test_empty_sets_are_read(tmp_path, file_format):
    with open(tmp_path / "set", "wb") as stream:
        files.write_table(stream, file_format, table_of({}, 31))
    assert read(tmp_path / "set") == {}


def packed(sequence, codes, n_bits_before=0):
    value = n_bits_before
    for letter in sequence:
        value = value << 2 | codes[letter]
    n_bytes = -(-len(sequence) // 4)
    return (value & ((1 << 8 * n_bytes) - 1)).to_bytes(n_bytes, "big")


def values(**named):
    pairs = (name.encode() + b"\0" + value.to_bytes(8, "big") for name, value in named.items())
    return b"v" + len(named).to_bytes(8, "big") + b"".join(pairs)


def kff_of(sections, encoding=0b00011011, canonical=0):
    return b"KFF\x01\x00" + bytes([encoding, 0, canonical]) + (5).to_bytes(4, "big") + b"hello" + sections + b"KFF"


#: The example of the specification: k 10, sequences with counts
SEQUENCES = {"ACTAAACTGATT": [32, 47, 1], "AAACTGATCG": [12], "CTAAACTGATC": [1, 47]}
CODES = {"A": 0, "C": 2, "G": 3, "T": 1}
EXPECTED = {sequence[i : i + 10]: number for sequence, counts in SEQUENCES.items() for i, number in enumerate(counts)}
EXPECTED["CTAAACTGAT"] = 47 + 1


def raw_section():
    blocks = b"".join(
        bytes([len(counts)]) + packed(sequence, CODES, 0b1011) + bytes(counts) for sequence, counts in SEQUENCES.items()
    )
    return values(k=10, max=255, data_size=1) + b"r" + (3).to_bytes(8, "big") + blocks


def minimizer_section():
    minimizer, blocks = "AAACTGAT", b""
    for sequence, counts in SEQUENCES.items():
        at = sequence.index(minimizer)
        rest = sequence[:at] + sequence[at + len(minimizer) :]
        blocks += bytes([len(counts)]) + (at).to_bytes(2, "big") + packed(rest, CODES) + bytes(counts)
    section = b"m" + packed(minimizer, CODES) + (3).to_bytes(8, "big") + blocks
    return values(k=10, m=8, max=255, data_size=1) + section


@pytest.mark.parametrize("section", [raw_section, minimizer_section])
def test_sections_of_kff_are_read_in_any_encoding(tmp_path, section):
    path = tmp_path / "x.kff"
    content = section()
    if section is minimizer_section:  # a place of up to 264 takes two bytes
        assert content.count(b"\x00\x03")
    path.write_bytes(kff_of(content, 0b00101101))
    assert read(path) == dict(sorted(EXPECTED.items()))


def test_canonical_kff_is_read_in_our_order_of_bases(tmp_path):
    path = tmp_path / "x.kff"
    path.write_bytes(kff_of(raw_section(), 0b00101101, canonical=1))
    expected = {}
    for kmer, number in EXPECTED.items():
        expected[naive_canonical(kmer)] = expected.get(naive_canonical(kmer), 0) + number
    assert read(path) == dict(sorted(expected.items()))


def test_kff_without_data_has_counts_of_one(tmp_path):
    path = tmp_path / "x.kff"
    blocks = packed("ACGTA", dict(zip("ACGT", range(4), strict=True)))
    path.write_bytes(kff_of(values(k=5, max=1, data_size=0) + b"r" + (1).to_bytes(8, "big") + blocks))
    assert read(path) == {"ACGTA": 1}


def test_truncated_and_lying_kff_is_refused(tmp_path):
    path = tmp_path / "x.kff"
    sound = kff_of(raw_section())
    ends = {17, 17 + len(values(k=10, max=255, data_size=1)), len(sound) - 3}  # of sections
    for size in sorted(set(range(3, len(sound))) - ends):
        path.write_bytes(sound[:size] + (b"KFF" if size > 12 else b""))
        with pytest.raises(FormatError, match=r"x\.kff: "):
            read(path)
    huge = values(k=10, max=1, data_size=1) + b"r" + (1 << 60).to_bytes(8, "big")
    for content in (
        huge,
        values(k=10, max=255, data_size=1) + b"r" + (1 << 60).to_bytes(8, "big"),
        values(k=1 << 40, max=1, data_size=1) + b"r" + bytes(8),
        values(k=10, max=1, data_size=1 << 40) + b"r" + bytes(8),
        b"v" + (1 << 62).to_bytes(8, "big"),
        b"i" + (1 << 60).to_bytes(8, "big"),
        b"x",
        b"r" + bytes(8),
    ):
        path.write_bytes(kff_of(content))
        with pytest.raises(FormatError, match=r"x\.kff: the KFF file is damaged"):
            read(path)
    path.write_bytes(kff_of(raw_section(), encoding=0))
    with pytest.raises(FormatError, match="two bases have one code"):
        read(path)


def kmc_1(tmp_path, counts, k, counter_bytes=2, n_prefix=1):
    """Write a database in the first layout of KMC."""
    letters = str.maketrans("ACGT", "0123")
    kmers = sorted(counts)
    starts = [sum(int(kmer[:n_prefix].translate(letters), 4) < p for kmer in kmers) for p in range(4**n_prefix)]
    suffixes = b"".join(
        packed(kmer[n_prefix:], dict(zip("ACGT", range(4), strict=True)))
        + counts[kmer].to_bytes(counter_bytes, "little")
        for kmer in kmers
    )
    header = struct.pack("<IIIIIIQB3xI", k, 0, counter_bytes, n_prefix, 1, 10**9, len(kmers), 0, 0)
    header += bytes(20) + struct.pack("<I", 0)
    table = struct.pack(f"<{len(starts)}Q", *starts)
    (tmp_path / "db.kmc_pre").write_bytes(b"KMCP" + table + header + struct.pack("<I", len(header)) + b"KMCP")
    (tmp_path / "db.kmc_suf").write_bytes(b"KMCS" + suffixes + b"KMCS")


@pytest.mark.parametrize(("k", "n_prefix"), [(5, 1), (6, 2), (31, 3), (33, 1), (64, 4)])
def test_kmc_databases_of_the_first_layout_are_read(tmp_path, k, n_prefix):
    counts = {kmer: min(number, 60000) for kmer, number in some_counts(30, k).items()}
    kmc_1(tmp_path, counts, k, n_prefix=n_prefix)
    for name in ("db", "db.kmc_pre", "db.kmc_suf"):
        assert read(tmp_path / name) == dict(sorted(counts.items()))


@pytest.mark.skipif(shutil.which("kmc") is None, reason="kmc is not installed")
@pytest.mark.parametrize("k", [5, 9, 21, 31, 33])
@pytest.mark.process
def test_databases_of_kmc_are_read(tmp_path, k):
    rng = random.Random(k)
    reads = ["".join(rng.choices("ACGT", k=100)) for _ in range(50)]
    (tmp_path / "r.fa").write_text("".join(f">{i}\n{read}\n" for i, read in enumerate(reads)))
    command = ["kmc", f"-k{k}", "-m2", "-t1", "-ci1", "-cs1000", "-fa", "r.fa", "db", "."]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert read(tmp_path / "db") == dict(sorted(count(reads, k).items()))


def test_damaged_kmc_databases_are_refused(tmp_path):
    kmc_1(tmp_path, dict.fromkeys(some_counts(30, 5), 1), 5)
    prefix, suffix = ((tmp_path / f"db{ending}").read_bytes() for ending in (".kmc_pre", ".kmc_suf"))
    for size in range(1, len(suffix)):
        (tmp_path / "db.kmc_suf").write_bytes(suffix[:size])
        with pytest.raises(FormatError):
            read(tmp_path / "db")
    (tmp_path / "db.kmc_suf").write_bytes(suffix)
    for size in range(1, len(prefix) - 4):
        (tmp_path / "db.kmc_pre").write_bytes(prefix[:size] + (b"KMCP" if size > 4 else b""))
        with pytest.raises(FormatError):
            read(tmp_path / "db")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ACG\t3\nAAA 2\n", {"AAA": 2, "ACG": 3}),
        ("acg\t3\r\n\r\nACG\t4", {"ACG": 7}),
        (">3\nACG\n>4\nCGT\n", {"ACG": 7}),
        ("TTT\t1\nAAA\t99999999999\n", {"AAA": 2**32 - 1}),
    ],
)
def test_text_is_read_as_canonical(tmp_path, text, expected):
    (tmp_path / "x.txt").write_text(text)
    assert read(tmp_path / "x.txt") == expected


def test_text_is_read_as_it_is_on_demand(tmp_path):
    (tmp_path / "x.txt").write_text("TTT\t1\nAAA\t2\n")
    assert read(tmp_path / "x.txt", canonical=False) == {"AAA": 2, "TTT": 1}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("ACG\t3\nAC\t2\n", 2), ("ACG\t3\nACGT\t2\n", 2), ("ACG\t3\n\nACN\t2\n", 3), ("ACG\t0\n", 1),
        ("ACG\t3\nACG\t2x\n", 2), ("ACG\t3\nACG\n", 2), ("ACG\t3\nACG\t1234567890123456789\n", 2),
        (">3\nACG\n>4\n", 3), (">3\nACG\n>x\nACG\n", 3), (">3\nACG\nACG\nACG\n", 3), (">3\nACG\n>4\nAC\n", 4),
    ],
)  # fmt: skip
def test_wrong_lines_are_named(tmp_path, text, line):
    (tmp_path / "x.txt").write_text(text)
    with pytest.raises(FormatError, match=rf"x\.txt: line {line}: expected a 3-mer and its count"):
        read(tmp_path / "x.txt")


def test_sequences_are_refused_with_the_remedy(tmp_path):
    (tmp_path / "x.fa").write_text(">contig\nACGT\n")
    with pytest.raises(FormatError, match="sequences") as caught:
        read(tmp_path / "x.fa")
    assert "dbg count" in caught.value.fix


def test_long_text_is_read_block_by_block(tmp_path, monkeypatch):
    monkeypatch.setattr("debruijn_gpu.io.kmer_sets.text._BLOCK_BYTES", 5000)
    counts = some_counts(2000, 12)
    for file_format in ("tsv", "fasta"):
        with open(tmp_path / "x", "wb") as stream:
            files.write_table(stream, file_format, table_of(counts, 12))
        assert read(tmp_path / "x") == dict(sorted(counts.items()))


def test_sets_larger_than_memory_are_sorted_in_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "_LEAST_RUN", 50)
    monkeypatch.setattr(runs, "memory_left", lambda memory: 0)
    rng = random.Random(3)
    counts, parts = {}, []
    for _ in range(12):
        some = {"".join(rng.choices("ACGT", k=4)): rng.randint(1, 5) for _ in range(30)}
        for kmer, number in some.items():
            counts[kmer] = counts.get(kmer, 0) + number
        table = table_of(some, 4)
        parts.append((table.codes, table.counts))
    kmers = runs.sorted_kmers("x", 4, False, parts, RUN)
    assert not isinstance(kmers, HeldKmers)
    for low, high in ((0, 256), (0, 100), (100, 256), (7, 7)):
        codes, numbers = kmers.read(low, high)
        rows = zip(codes[0].tolist(), kmers_of(codes, 4), numbers.tolist(), strict=True)
        assert {kmer: number for code, kmer, number in rows if low <= code < high} == {
            kmer: number
            for kmer, number in sorted(counts.items())
            if low <= int(kmer.translate(str.maketrans("ACGT", "0123")), 4) < high
        }
    kmers.close()


def test_our_kff_ends_with_an_index_of_its_sections():
    stream = io.BytesIO()
    counts = some_counts(5, 9)
    files.write_table(stream, "kff", table_of(counts, 9))
    content = stream.getvalue()
    first_index = content.index(b"first_index\0") + len(b"first_index\0")
    at = int.from_bytes(content[first_index : first_index + 8], "big")
    assert content[at : at + 1] == b"i"
    n = int.from_bytes(content[at + 1 : at + 9], "big")
    end = at + 9 + 9 * n + 8
    for i in range(n):
        entry = content[at + 9 + 9 * i : at + 18 + 9 * i]
        assert content[end + int.from_bytes(entry[1:], "big", signed=True)] == entry[0]
    assert len(list(kff.KffFile("x", np.frombuffer(content, np.uint8)).parts())) == 1


def test_reverse_complements_are_one_kmer_of_a_canonical_set(tmp_path):
    counts = some_counts(20, 7)
    (tmp_path / "x").write_text("".join(f"{reverse_complement(kmer)}\t1\n{kmer}\t2\n" for kmer in counts))
    expected = dict.fromkeys(sorted(counts), 3)
    assert read(tmp_path / "x") == expected
