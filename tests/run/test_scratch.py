from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from debruijn_gpu.errors import FileAccessError
from debruijn_gpu.run.scratch import ScratchFile

ARRAY = np.arange(100, dtype=np.uint64)
EDGES = np.array([0, 0, 30, 30, 99, 100, 100])
LONG = np.random.default_rng(1).integers(0, 1 << 30, 200_000)  # is packed, in blocks of a part
LONG_EDGES = np.array([0, 0, 70_000, 70_001, 140_000, 200_000, 200_000])


@pytest.fixture
def file(tmp_path: Path) -> Iterator[ScratchFile]:
    made = ScratchFile(tmp_path)
    yield made
    made.close()


def change(file: ScratchFile, offset: int) -> None:
    """Flip one bit of the file."""
    with open(f"/proc/self/fd/{file._file.fileno()}", "r+b") as stream:
        stream.seek(offset)
        byte = stream.read(1)[0]
        stream.seek(offset)
        stream.write(bytes([byte ^ 1]))


@pytest.mark.parametrize("start", [0, 30, 99, 100])
@pytest.mark.parametrize("stop", [0, 30, 99, 100])
def test_whole_parts_are_read_as_written(start: int, stop: int, file: ScratchFile) -> None:
    file.write(np.ones(3, np.uint8))
    place = file.write(ARRAY, EDGES)
    if start <= stop:
        target = np.empty(stop - start, np.uint64)
        file.read_into(place, start, target)
        assert target.tolist() == list(range(start, stop))


def test_an_empty_array_is_read_as_written(file: ScratchFile) -> None:
    place = file.write(np.empty(0, np.int64))
    file.read_into(place, 0, np.empty(0, np.int64))


def test_part_of_a_part_has_no_checksum_and_is_refused(file: ScratchFile) -> None:
    place = file.write(ARRAY, EDGES)
    with pytest.raises(ValueError, match="not whole parts"):
        file.read_into(place, 1, np.empty(29, np.uint64))


@pytest.mark.parametrize("bit", [0, 8 * 29 + 7])
def test_a_changed_bit_is_found(bit: int, file: ScratchFile, tmp_path: Path) -> None:
    place = file.write(ARRAY, EDGES)
    change(file, bit)
    file.read_into(place, 30, np.empty(69, np.uint64))  # other parts are whole
    with pytest.raises(FileAccessError, match="not what was written") as raised:
        file.read_into(place, 0, np.empty(30, np.uint64))
    assert raised.value.exit_code == 66
    assert str(tmp_path) in raised.value.what


def test_a_short_file_is_found(file: ScratchFile) -> None:
    place = file.write(ARRAY)
    file._file.truncate(799)
    with pytest.raises(FileAccessError, match="shorter than what was written"):
        file.read_into(place, 0, np.empty(100, np.uint64))


@pytest.mark.parametrize("dtype", ["int64", "uint64", "int32", "uint32"])
@pytest.mark.parametrize("is_sorted", [False, True])
def test_packed_parts_are_read_as_written(dtype: str, is_sorted: bool, file: ScratchFile) -> None:
    values = (LONG >> (20 if dtype.endswith("32") else 0)).astype(dtype)
    values = np.sort(values) if is_sorted else values
    file.write(np.ones(3, np.uint8))
    place = file.write(values, LONG_EDGES)
    assert place.blocks is not None
    assert file.n_bytes < 0.8 * values.nbytes
    for start in LONG_EDGES.tolist():
        for stop in LONG_EDGES[start <= LONG_EDGES].tolist():
            target = np.empty(stop - start, dtype)
            file.read_into(place, start, target)
            assert np.array_equal(target, values[start:stop])
    with pytest.raises(ValueError, match="not whole parts"):
        file.read_into(place, 1, np.empty(69_999, dtype))


def test_bases_are_written_as_they_are(file: ScratchFile) -> None:
    bases = np.random.default_rng(2).integers(0, 1 << 64, 10_000, np.uint64)
    assert file.write(bases).blocks is None
    assert file.n_bytes == bases.nbytes


@pytest.mark.parametrize("byte", [0, 100, 70_000 * 4 - 1])
def test_a_changed_bit_of_a_packed_part_is_found(byte: int, file: ScratchFile) -> None:
    place = file.write(LONG, LONG_EDGES)
    change(file, byte)
    file.read_into(place, 140_000, np.empty(60_000, np.int64))  # other parts are whole
    with pytest.raises(FileAccessError, match="not what was written") as raised:
        file.read_into(place, 0, np.empty(70_000, np.int64))
    assert raised.value.exit_code == 66


def test_a_short_packed_file_is_found(file: ScratchFile) -> None:
    place = file.write(LONG)
    file._file.truncate(file.n_bytes - 1)
    with pytest.raises(FileAccessError, match="shorter than what was written"):
        file.read_into(place, 0, np.empty(len(LONG), np.int64))


def test_packed_arrays_of_several_threads_do_not_mix(file: ScratchFile) -> None:
    arrays = [LONG + i for i in range(16)]
    with ThreadPoolExecutor(4) as pool:
        places = list(pool.map(file.write, arrays))
    for array, place in zip(arrays, places, strict=True):
        target = np.empty(len(array), np.int64)
        file.read_into(place, 0, target)
        assert np.array_equal(target, array)
