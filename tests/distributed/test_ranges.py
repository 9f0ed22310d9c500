"""Files of reads in ranges hold the k-mers and reads of the whole files."""

from __future__ import annotations

import gzip
import random
import struct
import zlib

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.distributed.ranges import sources_of
from debruijn_gpu.distributed.reading import FileRange, StoredRange, WholeFile, store_batch
from debruijn_gpu.distributed.tally import ReadTally, lengths_of
from debruijn_gpu.distributed.text_ranges import TextRange
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.fastx.reads import read_batches
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.reads.read_statistics import LengthMeter
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.tuning import tuned

K = 21
RUN = RunOptions(threads=1)


def letters(n: int, seed: int = 1) -> str:
    return "".join(random.Random(seed).choices("ACGTN", (20, 20, 20, 20, 1), k=n))


def wrapped(text: str, width: int, end: str = "\n") -> str:
    return end.join(text[i : i + width] for i in range(0, len(text), width)) + end


def fastq(n: int) -> str:
    rng = random.Random(2)
    qualities = ["@" + "I" * 99, "I" * 100, "+" + "@" * 99]
    return "".join(f"@r{i} @\n{letters(100, i)}\n+\n{rng.choice(qualities)}\n" for i in range(n))


def bgzf(data: bytes, block: int) -> bytes:
    """Members with their sizes, as bgzip writes them, and the empty one at the end."""
    found = b""
    for start in [*range(0, len(data), block), len(data)]:
        text = data[start : start + block]
        deflater = zlib.compressobj(6, zlib.DEFLATED, -15)
        body = deflater.compress(text) + deflater.flush()
        header = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0" + struct.pack("<H", len(body) + 25)
        found += header + body + struct.pack("<II", zlib.crc32(text), len(text))
    return found


TEXTS = {
    "one long record": (">chromosome 1\n" + wrapped(letters(300_000), 60), True),
    "one long line": (">chromosome 1\n" + letters(300_000) + "\n", True),
    "lines with carriage returns": (">a\r\n" + wrapped(letters(200_000), 70, "\r\n"), True),
    "contigs": ("".join(f">c{i}\n{wrapped(letters(900, i), 80)}" for i in range(300)), True),
    "long and short records": (
        "".join(f">{i} {'x' * (i % 7)}\n{wrapped(letters(n, i), 61)}" for i, n in enumerate([9, 90_000, 1, 120_000])),
        True,
    ),
    "long headers": ("".join(f">{'header ' * 3000}\n{letters(40, i)}\n" for i in range(20)), True),
    "reads": (fastq(2000), True),
    "plain lines": ("".join(f"{letters(100, i)}\n" for i in range(3000)), True),
    "blank lines at the end": (fastq(1000) + "\n\n", True),
    "empty": (">a\n>b\n", False),
}


def sums(inputs: ReadInputs, range_bytes: int, n_threads: int = 1):
    """Counted k-mers, and sums of the parts, of ranges of so many bytes."""
    cpu = backends.host()
    with tuned(range_bytes=range_bytes):
        found = sources_of(inputs, n_threads=n_threads)
    parts = [source for sources in found.values() for source in sources]
    batches, tallies = [], []
    for part in parts:
        tallies.append(ReadTally(part.continues))
        for reads in part.batches(cpu, RUN):
            tallies[-1].add(reads)
            batches.append(reads.batch)
    return parts, counted(batches), tallies


def counted(batches):
    cpu = backends.host()
    bounds = np.array([0, 700, 2048])
    pieces = zip(*(cpu.kmers.pack_super_kmers(batch, K, 11, bounds) for batch in batches), strict=True)
    parts = [part for one in pieces for part in cpu.kmers.count_super_kmers(list(one), K, True, 1, RUN)]
    return cpu.kmers.concatenate_counted(parts, K, 1) if parts else None


@pytest.mark.parametrize("compression", ["plain", "bgzf", "gzip"])
@pytest.mark.parametrize("name", TEXTS)
def test_ranges_hold_what_the_file_holds(tmp_path, name, compression):
    text, is_cut = TEXTS[name]
    path = tmp_path / "reads"
    pack = {"plain": bytes, "bgzf": lambda data: bgzf(data, 3000), "gzip": gzip.compress}[compression]
    path.write_bytes(pack(text.encode()))
    inputs, cpu = ReadInputs(single=(str(path),)), backends.host()
    meter = LengthMeter(cpu.to_host)
    batches = list(meter.through(read_batches(inputs, cpu)))
    store = cpu.kmers.kmer_store(K, True, RUN)
    store.fill(batches)
    expected = cpu.kmers.concatenate_counted(list(store.counted(1)), K, 1)
    for range_bytes in (4_000, 20_011, 1 << 30):
        parts, found, tallies = sums(inputs, range_bytes)
        if found is None:
            assert not len(expected[1])
        else:
            assert all(np.array_equal(one, other) for one, other in zip(found, expected, strict=True))
        lengths, whole = lengths_of(tallies), meter.lengths
        assert np.array_equal(lengths.lengths, whole.lengths)
        assert np.array_equal(lengths.numbers, whole.numbers)
        assert sum(tally.n_reads for tally in tallies) == whole.n_reads
        assert sum(tally.n_bases for tally in tallies) == whole.n_bases
        if range_bytes == 4_000 and compression == "plain":
            assert (len(parts) > 5) == is_cut
        if compression == "gzip" or range_bytes == 1 << 30:
            assert [type(part) for part in parts] == [WholeFile]


def test_bgzf_of_reads_is_cut(tmp_path):
    path = tmp_path / "reads.fq.gz"
    path.write_bytes(bgzf(fastq(2000).encode(), 3000))
    parts, _found, _tallies = sums(ReadInputs(single=(str(path),)), 20_000)
    assert len(parts) > 3
    assert all(isinstance(part, FileRange) and part.is_gzip for part in parts)


@pytest.mark.parametrize("name", [name for name in TEXTS if name not in ("empty", "long headers")])
@pytest.mark.parametrize("n_ranges", [2, pytest.param(5, marks=pytest.mark.slow), 8])
def test_ranges_of_text_hold_what_the_file_holds(tmp_path, name, n_ranges):
    text, _is_cut = TEXTS[name]
    path = tmp_path / "reads.gz"
    path.write_bytes(gzip.compress(text.encode()))
    whole, expected, of_whole = sums(ReadInputs(single=(str(path),)), 1 << 30)
    assert [type(part) for part in whole] == [WholeFile]
    parts, found, tallies = sums(ReadInputs(single=(str(path),)), 4_000, n_ranges)
    assert [type(part) for part in parts] == n_ranges * [TextRange]
    assert all(np.array_equal(one, other) for one, other in zip(found, expected, strict=True))
    for one, other in ((ReadTally.of_file(tallies), ReadTally.of_file(of_whole)),):
        assert (one.n_reads, one.names, one.has_unnamed) == (other.n_reads, other.names, other.has_unnamed)
    assert name != "reads" or all(tally.n_reads for tally in tallies)
    lengths, of_all = lengths_of(tallies), lengths_of(of_whole)
    assert np.array_equal(lengths.lengths, of_all.lengths)
    assert np.array_equal(lengths.numbers, of_all.numbers)


@pytest.mark.parametrize("n_damaged", [1, 5_000])
def test_damage_is_found_by_the_ranges_behind_it(tmp_path, n_damaged):
    data = bytearray(gzip.compress(fastq(3000).encode()))
    data[-n_damaged] ^= 1
    path = tmp_path / "reads.gz"
    path.write_bytes(data)
    with pytest.raises(FormatError, match=r"reads\.gz"):
        sums(ReadInputs(single=(str(path),)), 4_000, 4)


def test_a_range_that_ends_within_a_member_is_an_error(tmp_path):
    path = tmp_path / "reads.fq.gz"
    path.write_bytes(bgzf(fastq(200).encode(), 3000))
    wrong = FileRange(str(path), 0, 1500, is_gzip=True)
    with pytest.raises(FormatError, match="damaged"):
        list(wrong.batches(backends.host(), RUN))


def test_names_of_mates_are_compared_in_order(tmp_path):
    cpu = backends.host()
    texts = {"a": "@x/1\nAC\n+\nII\n@y/1\nAC\n+\nII\n", "b": "@x/2\nAG\n+\nII\n@y/2\nAC\n+\nII\n"}
    texts["exchanged"] = texts["b"].replace("x", "z").replace("y", "x").replace("z", "y")
    found = {}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        parts = WholeFile(str(tmp_path / name), False, 1), WholeFile(str(tmp_path / name), False, 1)
        tallies = []
        for part in parts:
            tallies.append(ReadTally(False))
            for reads in part.batches(cpu, RUN):
                tallies[-1].add(reads)
        found[name] = ReadTally.of_file(tallies)
    assert found["a"].names == found["b"].names != found["exchanged"].names
    assert found["a"].n_reads == 4
    assert not found["a"].has_unnamed


def test_stored_batches_are_read_back_and_damage_is_an_error(tmp_path):
    path = tmp_path / "batches"
    content = np.array([0, 1, 2, 3], np.uint8)
    batch = ReadBatch(content, np.array([0, 4]), np.zeros(0, np.int64), 3)
    with path.open("wb") as stream:
        store_batch(stream, batch)
        n_bytes = stream.tell()
    source = StoredRange(str(path), 0, n_bytes, 1)
    (found,) = source.batches(backends.host(), RUN)
    assert found.batch.bases.tolist() == content.tolist()
    assert found.batch.offsets.tolist() == [0, 4]
    assert found.batch.n_repeated == 3
    path.write_bytes(path.read_bytes().replace(b"(4,), }", b"(4,), \0"))
    with pytest.raises(FormatError, match=r"header of this \.npy is damaged"):
        list(source.batches(backends.host(), RUN))
