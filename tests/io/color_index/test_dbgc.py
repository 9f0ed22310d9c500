"""Colour indexes on disk: a round trip, and files that are damaged."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest

from debruijn_gpu.colors.color_sets import ColorSets, no_color_sets
from debruijn_gpu.colors.index import ColorIndex
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.color_index.reading import read_color_index
from debruijn_gpu.io.color_index.writing import write_color_index
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.sets.source import HeldKmers

NAMES = ("a", "b\udcff", "c")


def index_of(n: int, k: int = 33, names: tuple[str, ...] = NAMES) -> ColorIndex:
    """An index of n k-mers with the colour sets {a}, {b, c}, {a, b, c} in turn."""
    words = -(-k // 32)
    codes = np.zeros((words, n), np.uint64)
    codes[-1] = 5 * np.arange(n, dtype=np.uint64)
    sets = ColorSets(np.array([0, 1, 3, 6]), np.array([0, 1, 2, 0, 1, 2], np.uint32)) if n else no_color_sets()
    marks = (1 + np.arange(n) % 3).astype(np.uint32)
    n_kmers = np.array([n - n // 3, n // 3, n // 3])
    return ColorIndex(k, True, HeldKmers("x", KmerTable(k, codes, marks)), sets, names, n_kmers)


def written(index: ColorIndex) -> bytes:
    stream = io.BytesIO()
    write_color_index(stream, index)
    return stream.getvalue()


@pytest.mark.parametrize(("n", "k"), [(0, 31), (3, 5), (20_000, 31), (40_000, 33), (3, 255)])
def test_an_index_is_read_as_it_was_written(tmp_path, n, k):
    index, path = index_of(n, k), tmp_path / "x.dbgc"
    path.write_bytes(written(index))
    found = read_color_index(str(path))
    assert (found.k, found.canonical, found.names, len(found)) == (k, True, NAMES, n)
    np.testing.assert_array_equal(found.kmers, index.kmers)
    np.testing.assert_array_equal(found.color_ids, index.color_ids)
    np.testing.assert_array_equal(found.color_sets.row_ptr, index.color_sets.row_ptr)
    np.testing.assert_array_equal(found.color_sets.samples, index.color_sets.samples)
    np.testing.assert_array_equal(found.n_kmers_of_sample, index.n_kmers_of_sample)
    assert written(found) == path.read_bytes()


def test_truncated_indexes_are_refused(tmp_path):
    whole, path = written(index_of(50)), tmp_path / "x.dbgc"
    for n in [*range(1, 80), *range(80, len(whole), 41)]:
        path.write_bytes(whole[:n])
        with pytest.raises(FormatError, match=r"truncated|no colour index|damaged"):
            read_color_index(str(path))


@pytest.mark.slow
def test_any_changed_byte_is_noticed(tmp_path):
    """Or it changes nothing, as those between the parts."""
    index = index_of(50)
    whole, path = written(index), tmp_path / "x.dbgc"
    for i in range(len(whole)):
        path.write_bytes(whole[:i] + bytes([whole[i] ^ 0x41]) + whole[i + 1 :])
        try:
            found = read_color_index(str(path))
            same = np.array_equal(found.kmers, index.kmers) and np.array_equal(found.color_ids, index.color_ids)
        except FormatError:
            continue
        assert same
        assert found.names == NAMES
        np.testing.assert_array_equal(found.color_sets.samples, index.color_sets.samples)


@pytest.mark.parametrize("block", [1, 2, 3, 4, 5, 6, 7])
@pytest.mark.parametrize(
    "samples", [[0, 2, 1, 0, 1, 2], [0, 1, 1, 0, 1, 2], [0, 1, 2, 0, 2, 1], [0, 1, 2, 0, 2, 2], [0, 1, 2, 0, 1, 3]]
)
def test_colour_sets_that_do_not_ascend_are_refused(tmp_path, monkeypatch, block, samples):
    """Whatever the number of samples that are checked at once."""
    monkeypatch.setattr("debruijn_gpu.io.color_index.reading._SAMPLES_AT_ONCE", block)
    path = tmp_path / "x.dbgc"
    path.write_bytes(written(index_of(5)))
    assert len(read_color_index(str(path)).color_sets) == 3
    index = replace(index_of(5), color_sets=ColorSets(np.array([0, 1, 3, 6]), np.array(samples, np.uint32)))
    path.write_bytes(written(index))
    with pytest.raises(FormatError, match="colour sets are impossible"):
        read_color_index(str(path))


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "x.fa"
    path.write_text(">a\nACGT\n")
    with pytest.raises(FormatError, match="no colour index"):
        read_color_index(str(path))
