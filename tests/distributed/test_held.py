"""Arrays that tasks leave on a worker come back whole or in pieces, from memory and from scratch files."""

from __future__ import annotations

import gc
import pickle
import sys

import numpy as np
import pytest

from debruijn_gpu.distributed import held
from debruijn_gpu.run.options import RunOptions


@pytest.fixture(params=["memory", "scratch"])
def shelf(request, tmp_path, monkeypatch):
    if request.param == "scratch":
        monkeypatch.setattr(held, "_SHARE", 0)
    found = held.Shelf(RunOptions(threads=1, memory="1G", tmp_dir=tmp_path))
    yield found
    assert (found._scratch is not None) == (request.param == "scratch")
    if found._scratch is not None:
        found._scratch.close()


ARRAYS = [np.arange(5000, dtype=np.uint64) ** 3, np.arange(700, dtype=np.uint8)]
BOUNDS = [np.array([0, 0, 1000, 5000, 5000]), np.array([0, 300, 300, 700, 700])]


def is_same(found, expected):
    return all(np.array_equal(one, other) for one, other in zip(found, expected, strict=True))


def test_arrays_come_back(shelf):
    found = shelf.hold(*ARRAYS)
    assert is_same(found.load(), ARRAYS)
    assert is_same(found.moved().load(), ARRAYS)
    assert is_same(pickle.loads(pickle.dumps(found)).load(), ARRAYS)
    assert sys.getsizeof(found) >= sum(array.nbytes for array in ARRAYS)


def test_pieces_come_back(shelf):
    whole = shelf.hold_pieces(ARRAYS, BOUNDS)
    for found in (whole, pickle.loads(pickle.dumps(whole))):
        for i in range(4):
            rows = [array[b[i] : b[i + 1]] for array, b in zip(ARRAYS, BOUNDS, strict=True)]
            piece = found.piece(i)
            assert is_same(piece.load(), rows)
            assert is_same(pickle.loads(pickle.dumps(piece)).load(), rows)
            assert sys.getsizeof(piece) - object.__sizeof__(piece) < 200 + sum(row.nbytes for row in rows)


def test_room_is_given_back_when_the_last_piece_is_gone():
    shelf = held.Shelf(RunOptions(threads=1, memory="1G"))
    before = shelf.reserve() * 2
    shelf.give_back(before // 2)
    whole = shelf.hold_pieces(ARRAYS, BOUNDS)
    piece = whole.piece(1)
    del whole
    gc.collect()
    assert shelf.reserve() < before // 2
    assert is_same(piece.load(), [ARRAYS[0][:1000], ARRAYS[1][300:300]])
