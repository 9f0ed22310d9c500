"""Checkpoint files come back whole, or are reported as damaged."""

from __future__ import annotations

import errno
import os

import numpy as np
import pytest

from debruijn_gpu.io.checkpoint_files import (
    DamagedCheckpointError,
    array_bytes,
    checkpoint_parts,
    read_checkpoint,
    read_content,
    write_checkpoint,
)

CONTENT = {"identity": {"version": "1"}, "value": [1, 2.5, "x"]}
ARRAYS = [
    np.arange(1000, dtype=np.uint64).reshape(2, 500),
    np.array([True, False, True]),
    np.zeros(0, np.int64),
    np.zeros((2, 0), np.uint32),
    np.array(7.5),
    np.arange(24, dtype=np.int32).reshape(4, 6).T,
    np.arange(20)[::2],
]
PARTS = [[np.arange(n, dtype=np.uint64).reshape(1, n), np.arange(n, dtype=np.uint32)] for n in (70, 0, 3)]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "x.checkpoint"
    write_checkpoint(path, CONTENT, ARRAYS)
    return path


@pytest.fixture
def path_of_parts(tmp_path):
    path = tmp_path / "x.checkpoint"
    write_checkpoint(path, CONTENT, ARRAYS[:2], iter(PARTS))
    return path


def read_parts(path):
    """Content, arrays and all parts of a file."""
    with checkpoint_parts(path) as (content, arrays, parts):
        return content, arrays, list(parts)


def test_content_and_arrays_come_back(path):
    content, arrays = read_checkpoint(path)
    assert content == read_content(path) == CONTENT
    assert len(arrays) == len(ARRAYS)
    for found, array in zip(arrays, ARRAYS, strict=True):
        assert (found.dtype, found.shape) == (array.dtype, array.shape)
        assert np.array_equal(found, array)
        assert found.flags.writeable


def test_parts_come_back_one_at_a_time(path_of_parts):
    content, arrays, parts = read_parts(path_of_parts)
    assert content == read_content(path_of_parts) == CONTENT
    assert [array.tolist() for array in arrays] == [array.tolist() for array in ARRAYS[:2]]
    assert len(parts) == len(PARTS)
    for found, part in zip(parts, PARTS, strict=True):
        assert [(array.dtype, array.tolist()) for array in found] == [(array.dtype, array.tolist()) for array in part]


def test_parts_do_not_count_as_memory(path_of_parts):
    size = path_of_parts.stat().st_size
    assert array_bytes(path_of_parts) < size - sum(array.nbytes for part in PARTS for array in part)
    with pytest.raises(DamagedCheckpointError, match="it has parts"):
        read_checkpoint(path_of_parts)


def test_each_damage_of_parts_is_noticed(path_of_parts):
    whole = path_of_parts.read_bytes()
    for place in range(array_bytes(path_of_parts), len(whole), 7):
        for damaged in (whole[:place], whole[:place] + bytes([whole[place] ^ 8]) + whole[place + 1 :]):
            path_of_parts.write_bytes(damaged)
            with pytest.raises((DamagedCheckpointError, ValueError)):
                read_parts(path_of_parts)
    path_of_parts.write_bytes(whole + b"x")
    with pytest.raises(DamagedCheckpointError):
        read_parts(path_of_parts)


def test_parts_cannot_be_exchanged(path_of_parts, tmp_path):
    """Each checksum depends on those before."""
    whole, other = path_of_parts.read_bytes(), tmp_path / "other"
    write_checkpoint(other, CONTENT, ARRAYS[:2], [PARTS[2], *PARTS[1:]])
    start = array_bytes(path_of_parts) + 16
    end = other.stat().st_size - (len(whole) - whole.rindex(b'{"arrays": []}'))
    path_of_parts.write_bytes(other.read_bytes()[:end] + whole[whole.rindex(b'{"arrays": []}') :])
    assert path_of_parts.read_bytes()[:start] == whole[:start]
    with pytest.raises(DamagedCheckpointError, match="the checksum of its header differs"):
        read_parts(path_of_parts)


def test_size_is_returned_and_nothing_else_is_left(path):
    assert write_checkpoint(path, CONTENT, ARRAYS) == path.stat().st_size
    assert os.listdir(path.parent) == [path.name]


def test_arrays_of_several_blocks(tmp_path):
    array = np.random.default_rng(1).integers(0, 2**63, (3, 400_000), np.int64)
    write_checkpoint(tmp_path / "x", None, [array, array[:, ::2]])
    _content, found = read_checkpoint(tmp_path / "x")
    assert np.array_equal(found[0], array)
    assert np.array_equal(found[1], array[:, ::2])


def test_each_changed_byte_is_noticed(path):
    whole = path.read_bytes()
    for place in (*range(0, len(whole), 97), 0, 16, 23, len(whole) - 1):
        changed = bytearray(whole)
        changed[place] ^= 1 << place % 8
        path.write_bytes(changed)
        with pytest.raises(DamagedCheckpointError):
            read_checkpoint(path)


def test_each_truncation_is_noticed(path):
    whole = path.read_bytes()
    for n_bytes in (*range(0, len(whole), 61), len(whole) - 1):
        path.write_bytes(whole[:n_bytes])
        with pytest.raises(DamagedCheckpointError):
            read_checkpoint(path)
    path.write_bytes(whole + b"x")
    with pytest.raises(DamagedCheckpointError):
        read_checkpoint(path)


def test_objects_are_not_read(path, monkeypatch):
    monkeypatch.setattr("debruijn_gpu.io.checkpoint_files._KINDS", "biu")
    with pytest.raises(DamagedCheckpointError, match="not of numbers"):
        read_checkpoint(path)


def test_failed_write_keeps_the_file_that_was_there(path, monkeypatch):
    def fail(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fail)
    before = path.read_bytes()
    with pytest.raises(OSError, match="No space left"):
        write_checkpoint(path, "other", [])
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_file_system_that_cannot_sync(path, monkeypatch):
    def fail(descriptor):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr(os, "fsync", fail)
    write_checkpoint(path, "other", [])
    assert read_checkpoint(path) == ("other", [])
