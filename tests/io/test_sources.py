"""Files that are not compressed, read by several threads."""

from __future__ import annotations

import errno
import os
import threading
from contextlib import closing

import numpy as np
import pytest

from debruijn_gpu.errors import FileAccessError
from debruijn_gpu.io import opening
from debruijn_gpu.io.opening import HEADROOM, read_blocks
from debruijn_gpu.io.sources import PlainFile

TEXT = np.random.default_rng(1).integers(0, 64, 100_000, np.uint8).tobytes()


@pytest.fixture(autouse=True)
def four_threads(monkeypatch, tune):
    tune(slice_bytes=1000)
    monkeypatch.setattr(opening, "allowed_cpus", lambda: 16)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "reads"
    path.write_bytes(TEXT)
    return path


@pytest.fixture
def descriptor(path):
    descriptor = os.open(path, os.O_RDWR)
    yield descriptor
    os.close(descriptor)


@pytest.mark.parametrize("block_bytes", [1, 999, 1999, 2000, 4000, 4001, 33_333, 50_000, 99_999, 100_000, 100_001])
@pytest.mark.parametrize("threads", [1, 2, 4, 9])
def test_every_byte_once(descriptor, block_bytes, threads):
    n_rooms = -(-len(TEXT) // block_bytes) if block_bytes > 1 else 100
    room, found = bytearray(block_bytes), b""
    with closing(PlainFile(descriptor, threads)) as file:
        for _ in range(n_rooms):
            found += room[: file.fill(memoryview(room))]
            assert file.n_text == len(found)
        assert found == TEXT[: n_rooms * block_bytes]
        assert block_bytes == 1 or file.fill(memoryview(room)) == 0
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("dbg-read")]


def test_blocks_are_no_larger_than_the_file(path):
    sizes = []

    def allocate(n_bytes):
        sizes.append(n_bytes)
        return np.empty(n_bytes, np.uint8)

    (block,) = read_blocks(str(path), 1 << 23, allocate=allocate)
    assert block.final
    assert block.buffer[block.start : block.end].tobytes() == TEXT
    assert sizes == [HEADROOM + len(TEXT) + 1]


def test_file_that_grows(path):
    blocks = read_blocks(str(path), 30_000)
    found = [next(blocks)]
    with open(path, "ab") as file:
        file.write(b"more" * 20_000)
    found += blocks
    text = b"".join(block.buffer[block.start : block.end].tobytes() for block in found)
    assert text.startswith(TEXT)
    assert (TEXT + b"more" * 20_000).startswith(text), "what a thread that reads ahead saw while it was written"


def test_file_that_shrinks_while_threads_read(descriptor, monkeypatch):
    """What lies behind the end is not taken, even where one thread still saw it."""
    plain = os.preadv

    def shorter_for_one(file, rooms, offset):
        return plain(file, rooms, offset) if not 25_000 <= offset < 50_000 else 0

    monkeypatch.setattr(os, "preadv", shorter_for_one)
    room = bytearray(100_000)
    with closing(PlainFile(descriptor, 4)) as file:
        assert file.fill(memoryview(room)) == 25_000
    assert room[:25_000] == TEXT[:25_000]


def test_device_error(path, monkeypatch):
    plain = os.preadv

    def fail(file, rooms, offset):
        if offset >= 60_000:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return plain(file, rooms, offset)

    monkeypatch.setattr(os, "preadv", fail)
    with pytest.raises(FileAccessError, match="reads: Input/output error"):
        list(read_blocks(str(path), 1 << 23))
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("dbg-read")]
