from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from debruijn_gpu.errors import FileAccessError
from debruijn_gpu.run.scratch import ScratchFile

ARRAY = np.arange(100, dtype=np.uint64)
EDGES = np.array([0, 0, 30, 30, 99, 100, 100])


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
