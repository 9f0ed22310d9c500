"""Checkpoint files come back whole, or are reported as damaged."""

from __future__ import annotations

import errno
import os

import numpy as np
import pytest

from debruijn_gpu.io.checkpoint_files import (
    DamagedCheckpointError,
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


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "x.checkpoint"
    write_checkpoint(path, CONTENT, ARRAYS)
    return path


def test_content_and_arrays_come_back(path):
    content, arrays = read_checkpoint(path)
    assert content == read_content(path) == CONTENT
    assert len(arrays) == len(ARRAYS)
    for found, array in zip(arrays, ARRAYS, strict=True):
        assert (found.dtype, found.shape) == (array.dtype, array.shape)
        assert np.array_equal(found, array)
        assert found.flags.writeable


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
