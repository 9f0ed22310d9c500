"""Reading files in blocks: compressions, damage, pipes, and threads that end."""

from __future__ import annotations

import bz2
import errno
import gzip
import lzma
import os
import re
import subprocess
import sys
import threading
import time
import zlib
from functools import cache, partial

import numpy as np
import pytest

from debruijn_gpu.errors import FileAccessError, FormatError, InputNotFoundError
from debruijn_gpu.io.compression.inflating import zstd_library
from debruijn_gpu.io.opening import check_readable, read_blocks
from tests.helpers import first_quick

zstd = zstd_library()

COMPRESS = {
    "plain": bytes,
    "gz": cache(gzip.compress),
    "bz2": cache(bz2.compress),
    "xz": cache(partial(lzma.compress, preset=0)),
    "zst": partial(zstd.compress, options={zstd.CompressionParameter.checksum_flag: 1}),
}
TEXT = np.random.default_rng(1).integers(0, 64, 1_000_000, np.uint8).tobytes()


def read(path, block_bytes=1 << 16):
    blocks = list(read_blocks(str(path), block_bytes))
    assert [block.final for block in blocks] == [False] * (len(blocks) - 1) + [True]
    assert {block.end - block.start for block in blocks[:-1]} <= {block_bytes}
    assert not readers()
    return b"".join(block.buffer[block.start : block.end].tobytes() for block in blocks)


def readers():
    return [thread for thread in threading.enumerate() if thread.name == "dbg-reader"]


@pytest.mark.slow
@pytest.mark.parametrize("compress", COMPRESS.values(), ids=COMPRESS)
@pytest.mark.parametrize("block_bytes", [1 << 16, 999_999, 1_000_000, 1 << 23])
def test_compression_is_told_by_content(tmp_path, compress, block_bytes):
    path = tmp_path / "reads.txt"
    path.write_bytes(compress(TEXT))
    assert read(path, block_bytes) == TEXT


@pytest.mark.parametrize("compress", COMPRESS.values(), ids=COMPRESS)
def test_members_follow_each_other(tmp_path, compress):
    path = tmp_path / "reads"
    path.write_bytes(compress(TEXT[:300_000]) + compress(b"") + compress(TEXT[300_000:]))
    assert read(path) == TEXT


def test_small_blocks_and_small_files(tmp_path):
    path = tmp_path / "reads"
    for size in range(1, 12):
        path.write_bytes(b">" * size)
        assert read(path, 1) == b">" * size
        assert read(path, 5) == b">" * size


@pytest.mark.parametrize("name", ["gz", "bz2", "xz", "zst"])
def test_truncated(tmp_path, name):
    path = tmp_path / "reads"
    whole = COMPRESS[name](TEXT)
    for size in (7, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(FormatError, match=r"reads: the compressed data are truncated after [\d,]+ bytes"):
            read(path)
        assert not readers()


INFLATERS = {
    "gz": partial(zlib.decompressobj, 31),
    "bz2": bz2.BZ2Decompressor,
    "xz": lzma.LZMADecompressor,
    "zst": zstd.ZstdDecompressor,
}


def text_in(data, name):
    """Bytes of text of a file, whose last member may be truncated."""
    n_bytes = 0
    while data:
        inflater = INFLATERS[name]()
        n_bytes += len(inflater.decompress(data))
        data = inflater.unused_data
    return n_bytes


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 16])
@pytest.mark.parametrize("n_members", [1, 5])
@pytest.mark.parametrize("name", INFLATERS)
def test_the_error_of_a_truncated_file_counts_all_its_text(tmp_path, tune, name, n_members, threads):
    tune(parallel_gzip_bytes=1 << 10)
    path = tmp_path / "reads"
    size = len(TEXT) // n_members
    whole = b"".join(COMPRESS[name](TEXT[i * size : (i + 1) * size]) for i in range(n_members))
    for n_bytes in (len(whole) // 3, len(whole) * 9 // 10, len(whole) - 9):
        path.write_bytes(whole[:n_bytes])
        with pytest.raises(FormatError) as caught:
            list(read_blocks(str(path), 300_000, threads=threads))
        (found,) = re.findall(r"truncated after ([\d,]+) bytes of text", caught.value.what)
        # isal may wait for more bits before it gives the last one or two.
        assert 0 <= text_in(whole[:n_bytes], name) - int(found.replace(",", "")) <= 2


def test_many_small_members(tmp_path):
    path = tmp_path / "reads"
    path.write_bytes(b"".join(gzip.compress(TEXT[i : i + 5], 1) for i in range(0, 50_000, 5)))
    assert read(path) == TEXT[:50_000]
    path.write_bytes(gzip.compress(b"") * 10_000 + bytes(100_000) + gzip.compress(b"ACGT"))
    assert read(path) == b"ACGT"


@pytest.mark.parametrize("name", ["gz", "bz2", "xz", "zst"])
def test_corrupt(tmp_path, name):
    path = tmp_path / "reads"
    damaged = bytearray(COMPRESS[name](TEXT))
    damaged[len(damaged) // 2] ^= 0xFF
    path.write_bytes(damaged)
    with pytest.raises(FormatError, match=r"reads: the compressed data are corrupt after [\d,]+ bytes of text"):
        read(path)


@pytest.mark.parametrize("name", ["gz", "bz2", "xz", "zst"])
@pytest.mark.parametrize("n_bytes", first_quick([100, 10_000, 500_000], 2))
def test_no_damaged_member_is_left_out(tmp_path, name, n_bytes):
    """Python's readers take it for rubbish behind the last member."""
    path = tmp_path / "reads"
    first, second = COMPRESS[name](TEXT[:n_bytes]), COMPRESS[name](TEXT[n_bytes : 2 * n_bytes])
    for place in (0, len(second) // 3, len(second) // 2, len(second) - 5):
        damaged = bytearray(second)
        damaged[place] ^= 0xFF
        path.write_bytes(first + damaged)
        for block_bytes in (n_bytes // 3 + 1, 1 << 16, 1 << 22):
            with pytest.raises(FormatError, match=r"reads: the compressed data (are (corrupt|truncated)|end) after"):
                read(path, block_bytes)


SOMETHING_ELSE = f"the compressed data end after {len(TEXT):,} bytes of text, and something else follows"


@pytest.mark.parametrize("name", ["bz2", "xz", "zst"])
def test_what_follows_the_last_member(tmp_path, name):
    path = tmp_path / "reads"
    path.write_bytes(COMPRESS[name](TEXT) + bytes(1000))
    assert read(path) == TEXT
    for rubbish in (b"rubbish that is longer than any header", COMPRESS["gz"](TEXT), b">a\nACGT\n", b"x"):
        path.write_bytes(COMPRESS[name](TEXT) + rubbish)
        with pytest.raises(FormatError, match=f"reads: {SOMETHING_ELSE}"):
            read(path)


def test_what_follows_the_last_gzip_member(tmp_path):
    path = tmp_path / "reads"
    path.write_bytes(gzip.compress(TEXT) + bytes(1000))
    assert read(path) == TEXT  # padding, as on tapes
    for rubbish in (b"rubbish", b"x", bytes(20_000) + b"x", b"x" * 20_000):
        path.write_bytes(gzip.compress(TEXT) + rubbish)
        with pytest.raises(FormatError, match=f"reads: {SOMETHING_ELSE}"):
            read(path)
    path.write_bytes(gzip.compress(TEXT) + b"\x1f")  # the magic of another member
    with pytest.raises(FormatError, match=f"the compressed data are truncated after {len(TEXT):,} bytes"):
        read(path)


def test_frames_of_zstd_that_are_skipped(tmp_path):
    path = tmp_path / "reads"
    frame = bytes((0x5A, *b"\x2a\x4d\x18", 3, 0, 0, 0, *b"xyz"))
    path.write_bytes(COMPRESS["zst"](TEXT[:1000]) + frame + COMPRESS["zst"](TEXT[1000:]))
    assert read(path) == TEXT


def test_missing(tmp_path):
    path = str(tmp_path / "none.fq")
    for attempt in (check_readable, read):
        with pytest.raises(InputNotFoundError) as caught:
            attempt(path)
        assert caught.value.what == f"{path}: No such file or directory"
        assert caught.value.exit_code == 65


def test_directory(tmp_path):
    for attempt in (check_readable, read):
        with pytest.raises(FileAccessError, match="is a directory") as caught:
            attempt(str(tmp_path))
        assert caught.value.exit_code == 66


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_not_permitted(tmp_path):
    path = tmp_path / "reads"
    path.write_bytes(b">")
    path.chmod(0)
    with pytest.raises(FileAccessError, match="Permission denied"):
        check_readable(str(path))


def test_device_error_is_no_format_error(tmp_path, monkeypatch):
    def fail(descriptor, buffers):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    path = tmp_path / "reads"
    path.write_bytes(gzip.compress(TEXT))
    monkeypatch.setattr(os, "readv", fail)
    with pytest.raises(FileAccessError, match="reads: Input/output error"):
        read(path)


def test_empty(tmp_path):
    path = tmp_path / "reads"
    path.write_bytes(b"")
    with pytest.raises(FormatError, match="reads: the file is empty"):
        check_readable(str(path))
    with pytest.raises(FormatError, match="the file is empty"):
        read("/dev/null")


def test_abandoned_reader_ends(tmp_path):
    path = tmp_path / "reads"
    path.write_bytes(TEXT)
    blocks = read_blocks(str(path), 1000)
    next(blocks)
    assert readers()
    del blocks
    assert not readers()


def test_abandoned_pipe_that_says_nothing(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with open(os.open(path, os.O_RDWR), "wb", buffering=0) as writer:
        writer.write(b">" * 1000)
        blocks = read_blocks(str(path), 1000)
        next(blocks)
        start = time.perf_counter()
        blocks.close()
    assert not readers()
    assert time.perf_counter() - start < 50  # not for ever


def test_pipe_that_dribbles(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    packed = gzip.compress(TEXT[:1000])

    def dribble():
        with open(path, "wb", buffering=0) as pipe:
            for i in range(0, len(packed), 3):
                pipe.write(packed[i : i + 3])

    writer = threading.Thread(target=dribble)
    writer.start()
    assert read(path) == TEXT[:1000]
    writer.join()


@pytest.mark.process
@pytest.mark.parametrize("name", COMPRESS)
def test_standard_input(name):
    code = (
        "import sys; from debruijn_gpu.io.opening import read_blocks\n"
        "for b in read_blocks('-', 70_000): sys.stdout.buffer.write(b.buffer[b.start:b.end].tobytes())"
    )
    done = subprocess.run([sys.executable, "-c", code], input=COMPRESS[name](TEXT), capture_output=True, check=True)
    assert done.stdout == TEXT


def test_interrupt_while_waiting_for_standard_input():
    code = (
        "import os, signal, threading\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a job in the background ignores it
        "from debruijn_gpu.io.opening import read_blocks\n"
        "threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "try: list(read_blocks('-', 1000))\n"
        "except KeyboardInterrupt: print('interrupted', threading.active_count())\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            output = process.stdout.read() if process.wait(20) == 0 else b""
        finally:
            process.kill()
    assert output.startswith(b"interrupted")
