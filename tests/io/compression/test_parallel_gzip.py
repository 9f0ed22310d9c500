"""Inflation of gzip files by many threads: the same text and the same errors as by one."""

from __future__ import annotations

import gzip
import os
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
import zlib
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.errors import DbgError, FileAccessError
from debruijn_gpu.io import opening
from debruijn_gpu.io.compression import gzip_process, parallel_gzip
from debruijn_gpu.io.compression.gzip_process import combined_crc, find_members, is_proved
from debruijn_gpu.io.opening import read_blocks
from tests.helpers import first_quick

pytest.importorskip("rapidgzip")

LETTERS = np.frombuffer(b"ACGT", np.uint8)
TEXT = LETTERS[np.random.default_rng(1).integers(0, 4, 1_000_000)].tobytes()
BLOCK = 1 << 18
MANY = parallel_gzip.LEAST_THREADS


LAST_OF_BGZF = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")


def bgzf(text, last=LAST_OF_BGZF):
    """As bgzip writes it: a member for each 65,280 bytes, and an empty one."""
    members = []
    for start in range(0, len(text), 65280):
        block = text[start : start + 65280]
        deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
        packed = deflate.compress(block) + deflate.flush()
        header = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0" + struct.pack("<H", len(packed) + 25)
        members.append(header + packed + struct.pack("<II", zlib.crc32(block), len(block)))
    return b"".join(members) + last


WHOLE = {
    "one": gzip.compress(TEXT, 6),
    "fast": gzip.compress(TEXT, 1),
    "stored": gzip.compress(TEXT, 0),
    "two": gzip.compress(TEXT[:400_000], 1) + gzip.compress(TEXT[400_000:], 6),
    "empty members": gzip.compress(b"") + gzip.compress(TEXT) + gzip.compress(b"") + gzip.compress(b""),
    "bgzf": bgzf(TEXT),
    "bgzf without its end": bgzf(TEXT, b""),
}


@pytest.fixture(autouse=True)
def always_pays(tune):
    tune(parallel_gzip_bytes=0)


@pytest.fixture
def proved(monkeypatch):
    """Whether each process could prove what it wrote."""
    found = []
    end = parallel_gzip.GzipProcess.end

    def note(process, kill=False):
        if not kill:
            found.append(end(process))
        return end(process, kill)

    monkeypatch.setattr(parallel_gzip.GzipProcess, "end", note)
    return found


def read(path, threads, block_bytes=BLOCK):
    """The text, or else the error."""
    text = []
    try:
        for block in read_blocks(str(path), block_bytes, threads=threads):
            text.append(block.buffer[block.start : block.end].tobytes())
            assert block.final or len(text[-1]) == block_bytes
    except DbgError as error:
        return b"".join(text), type(error), error.what
    return b"".join(text)


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("block_bytes", first_quick([BLOCK, 300_000, 1_000_000, 1 << 23], 2))
def test_whole_files(tmp_path, proved, name, block_bytes):
    path = tmp_path / "reads"
    path.write_bytes(WHOLE[name])
    assert read(path, MANY, block_bytes) == TEXT
    assert proved == [True]


def damaged(packed, seed):
    """Files that are cut, changed or lengthened."""
    random = np.random.default_rng(seed)
    for n_cut in (1, 4, 8, 9, 20, 28, 29, 1000, len(packed) // 2, *random.integers(1, len(packed) - 10, 3)):
        yield f"cut by {n_cut}", packed[:-n_cut]
    for at in (3, 5, 12, len(packed) - 6, len(packed) - 2, *random.integers(0, len(packed), 4)):
        yield f"bit of {at}", packed[:at] + bytes([packed[at] ^ 1 << int(random.integers(8))]) + packed[at + 1 :]
    at = int(random.integers(100, len(packed) - 200))
    yield f"zeros from {at}", packed[:at] + bytes(100) + packed[at + 100 :]
    yield f"without 10 from {at}", packed[:at] + packed[at + 10 :]
    yield "twice a block", packed[:at] + packed[at - 100 :]
    yield "padded", packed + bytes(1000)
    yield "rubbish", packed + b"rubbish"
    yield "cut member", packed + gzip.compress(TEXT[:1000])[:-30]


@pytest.mark.process
@pytest.mark.parametrize("name", WHOLE)
def test_damaged_files(tmp_path, name):
    path = tmp_path / "reads"
    for what, packed in damaged(WHOLE[name], 5):
        path.write_bytes(packed)
        assert read(path, MANY) == read(path, 1), what


def test_without_rapidgzip(tmp_path, monkeypatch, proved):
    path = tmp_path / "reads"
    path.write_bytes(WHOLE["one"])
    monkeypatch.setattr(parallel_gzip, "find_spec", lambda name: None)
    assert read(path, MANY) == TEXT
    assert proved == []


def test_without_room_for_a_process(tmp_path, monkeypatch):
    def fail(*args, **kwargs):
        raise BlockingIOError

    path = tmp_path / "reads"
    path.write_bytes(WHOLE["one"])
    monkeypatch.setattr(subprocess, "Popen", fail)
    assert read(path, MANY) == TEXT


def test_process_that_dies(tmp_path, monkeypatch, proved):
    path, program = tmp_path / "reads", tmp_path / "dies.py"
    path.write_bytes(WHOLE["one"])
    program.write_text(f"import os\nos.write(1, {TEXT[:600_000]!r})\nos.kill(os.getpid(), 9)\n")
    monkeypatch.setattr(gzip_process, "__file__", str(program))
    assert read(path, MANY) == TEXT
    assert proved == [False]


def test_text_that_was_wrong_is_no_result(tmp_path, monkeypatch):
    path, program = tmp_path / "reads", tmp_path / "lies.py"
    path.write_bytes(WHOLE["one"])
    program.write_text(f"import os, sys\nos.write(1, b'x' * {BLOCK + 5})\nos._exit(1)\n")
    monkeypatch.setattr(gzip_process, "__file__", str(program))
    assert read(path, MANY)[1:] == (FileAccessError, f"{path}: the file changed while it was read")


def test_another_program_in_the_place_of_python(tmp_path, monkeypatch, proved):
    path = tmp_path / "reads"
    path.write_bytes(WHOLE["one"])
    monkeypatch.setattr(sys, "executable", shutil.which("echo"))
    assert read(path, MANY) == TEXT
    assert proved == [False]


def test_two_files_at_once_and_leaving_early(tmp_path, monkeypatch):
    path = tmp_path / "reads"
    path.write_bytes(WHOLE["bgzf"] * 15)
    started = []
    run = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *args, **more: started.append(run(*args, **more)) or started[-1])
    begin = time.perf_counter()
    with (
        closing(read_blocks(str(path), 1000, threads=MANY)) as first,
        closing(read_blocks(str(path), 1000, threads=MANY)) as second,
    ):
        for _ in range(10):
            assert next(first).buffer[opening.HEADROOM :].tobytes() == next(second).buffer[opening.HEADROOM :].tobytes()
    assert [process.returncode for process in started] == [-signal.SIGKILL] * 2
    assert not [thread for thread in threading.enumerate() if thread.name == "dbg-reader"]
    assert time.perf_counter() - begin < 50  # not for ever


@pytest.mark.process
@pytest.mark.parametrize("ends", ["os._exit(3)", "sys.exit(3)", "os.kill(os.getpid(), 15)"])
def test_nothing_is_left_of_a_process_that_ends(tmp_path, ends):
    path = tmp_path / "reads"
    path.write_bytes(WHOLE["bgzf"] * 15)
    code = (
        "import os, sys\n"
        "from debruijn_gpu.io import opening\nfrom debruijn_gpu.run.tuning import tuned\n"
        "with tuned(parallel_gzip_bytes=0):\n"
        f"    blocks = opening.read_blocks({str(path)!r}, 1000, threads={MANY})\n"
        f"    next(blocks)\nprint('read', flush=True)\n{ends}\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, timeout=30)
    assert done.stdout == b"read\n"
    assert done.stderr == b""
    assert done.returncode in (3, -15)


@given(st.binary(max_size=40), st.binary(max_size=300))
def test_crc_of_two_texts(first, second):
    assert combined_crc(zlib.crc32(first), zlib.crc32(second), len(second)) == zlib.crc32(first + second)


def test_crc_of_long_texts():
    zeros = bytes(1 << 20)
    crc = zlib.crc32(b"x")
    for _ in range(16):
        crc = zlib.crc32(zeros, crc)
    long = zlib.crc32(bytes(16 << 20))
    assert combined_crc(zlib.crc32(b"x"), long, 16 << 20) == crc


@given(st.lists(st.binary(max_size=50), min_size=1, max_size=6))
def test_members_prove_the_text(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("members") / "reads"
    path.write_bytes(b"".join(map(gzip.compress, texts)))
    descriptor = os.open(path, os.O_RDONLY)
    members = find_members(descriptor)
    os.close(descriptor)
    whole = b"".join(texts)
    assert [member.length for member in members] == list(map(len, texts))
    assert is_proved(members, zlib.crc32(whole), len(whole))
    assert not is_proved(members, zlib.crc32(whole) ^ 1, len(whole))
    assert not is_proved(members, zlib.crc32(whole), len(whole) + 1)


def test_members_of_more_than_4_gib():
    """Their trailers store the length modulo 2^32 only."""
    lengths = [(3 << 32) + 5, (5 << 32) - 7, 100, (1 << 32) + 1]
    crcs = [1234567, 89012345, 6789, 424242]
    members = [
        gzip_process.Member(length // 4 + 1, crc, length % (1 << 32)) for length, crc in zip(lengths, crcs, strict=True)
    ]
    whole = 0
    for length, crc in zip(lengths, crcs, strict=True):
        whole = combined_crc(whole, crc, length)
    assert is_proved(members, whole, sum(lengths))
    assert not is_proved(members, whole ^ 2, sum(lengths))
    assert is_proved(members[1:2], crcs[1], lengths[1])
