"""Files that change while they are read: errors in one line, where a mapping would end the process (SIGBUS)."""

from __future__ import annotations

import os

import numpy as np
import pytest

from debruijn_gpu.colors.color_sets import ColorSets
from debruijn_gpu.colors.index import ColorIndex
from debruijn_gpu.errors import FileAccessError
from debruijn_gpu.io.color_index.reading import read_color_index
from debruijn_gpu.io.color_index.writing import write_color_index
from debruijn_gpu.io.kmer_sets.files import open_set
from debruijn_gpu.io.kmer_sets.stored_bytes import StoredBytes, part_of, stored_bytes
from debruijn_gpu.io.kmer_sets.writing import write_set
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.sets.source import HeldKmers

TABLE = KmerTable(31, np.arange(40_000, dtype=np.uint64)[None] * np.uint64(7), np.ones(40_000, np.uint32))


def kmers_of_set(path):
    with open(path, "wb") as stream:
        write_set(stream, TABLE)
    return open_set(str(path), RunOptions()).kmers


def kmers_of_index(path):
    sets = ColorSets(np.array([0, 1]), np.zeros(1, np.uint32))
    with open(path, "wb") as stream:
        write_color_index(stream, ColorIndex(31, True, HeldKmers("x", TABLE), sets, ("a",), np.array([40_000])))
    return read_color_index(str(path)).colored


@pytest.mark.parametrize("opened", [kmers_of_set, kmers_of_index])
@pytest.mark.parametrize("n_bytes", [0, 100, 1 << 16])
def test_truncation_of_an_open_file_is_an_error(tmp_path, opened, n_bytes):
    kmers = opened(tmp_path / "x")
    codes, _counts = kmers.read(0, 7 * 100)
    assert codes.tolist() == TABLE.codes[:, :100].tolist()
    os.truncate(tmp_path / "x", n_bytes)
    with pytest.raises(FileAccessError, match="changed while it was read"):
        kmers.read(0, 1 << 62)


@pytest.mark.parametrize("opened", [kmers_of_set, kmers_of_index])
def test_removal_of_an_open_file_is_an_error(tmp_path, opened):
    kmers = opened(tmp_path / "x")
    (tmp_path / "x").unlink()
    with pytest.raises(FileAccessError, match="No such file"):
        kmers.read(0, 1 << 62)


def test_truncation_between_the_check_and_the_read_is_an_error(tmp_path):
    """As of a descriptor that stays open: nothing is compared before."""
    path = tmp_path / "x"
    path.write_bytes(bytes(range(100)))
    with open(path, "rb") as file:
        stored = StoredBytes(str(path), file.fileno())
        os.truncate(path, 50)
        assert stored[:50].tobytes() == bytes(range(50))
        with pytest.raises(FileAccessError, match="changed while it was read"):
            stored[40:60]


def test_parts_are_those_of_arrays(tmp_path):
    path, content = tmp_path / "x", bytes(range(200))
    path.write_bytes(content)
    stored = stored_bytes(str(path))
    assert isinstance(stored, StoredBytes)
    for data in (stored, np.frombuffer(content, np.uint8)):
        part = part_of(part_of(data, 10, 150), 5, 60)
        assert (len(part), part[:].tobytes()) == (55, content[15:70])
        assert part[-3:].tobytes() == content[67:70]
