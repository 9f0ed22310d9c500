"""Hostile .npy and .npz: what they declare is checked before memory is taken for it."""

from __future__ import annotations

import gzip
import io
import struct
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.errors import FormatError, OutOfMemoryError
from debruijn_gpu.graph.options import GraphInputOptions
from debruijn_gpu.io.graphs.files import read_graph
from debruijn_gpu.io.json_reading import parse_json
from debruijn_gpu.io.numbers.files import read_columns
from debruijn_gpu.io.tables import to_json
from debruijn_gpu.primitives.options import TableOptions
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import LEAST_BUDGET, current_memory
from tests.helpers import first_quick

ALLOWED = 64 << 20


def npy(header: str, content: bytes = b"", version: int = 1, n_bytes: int | None = None) -> bytes:
    """A .npy whose header is said to have so many bytes."""
    text = header.encode() + b"\n"
    length = struct.pack("<H" if version == 1 else "<I", len(text) if n_bytes is None else n_bytes)
    return b"\x93NUMPY" + bytes([version, 0]) + length + text + content


def array(shape: str, descr: str = "<i8", content: bytes = b"") -> bytes:
    return npy(f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}}}", content)


def npz(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return stream.getvalue()


def as_numbers(path: Path) -> object:
    return read_columns(str(path), TableOptions(), CPU, n_bytes_allowed=ALLOWED)


def as_graph(path: Path) -> object:
    run = RunOptions(threads=1, memory=str(max(current_memory() + ALLOWED, LEAST_BUDGET)))
    return read_graph(str(path), GraphInputOptions(), run, CPU)


def as_member(path: Path) -> object:
    path.write_bytes(npz({"tails.npy": path.read_bytes(), "heads.npy": array("(0,)")}))
    return as_graph(path)


def as_mapped(path: Path) -> object:
    content = path.read_bytes()
    path.unlink()
    path.mkdir()
    (path / "meta.json").write_text('{"schema_version": 1, "n_vertices": 0, "names": {"kind": "numbers"}}')
    (path / "row_ptr.npy").write_bytes(content)
    (path / "col.npy").write_bytes(array("(0,)"))
    return as_graph(path)


@pytest.mark.parametrize("read", [as_numbers, as_graph, as_member, as_mapped])
@pytest.mark.parametrize(
    "content",
    [
        array("(-1, 2)"),
        array("(-1,)"),
        array("(0, 9223372036854775808)"),
        array("(9223372036854775807, 2)"),
        array("(0, -1)"),
        array("(4294967296, 4294967296, 4294967296)"),
        array(f"(1{'0' * 4000},)"),
        array(f"({'1, ' * 500})"),
        array("(1,)", "|O", bytes(8)),
        npy("-" * 9000 + "1"),
        npy("[" * 9000),
        npy("1+" * 4000 + "1"),
        npy("{}", version=2, n_bytes=(1 << 32) - 1),
        npy("{'descr': '<i8', 'fortran_order': False, 'shape': (2,)}\n\0", bytes(16)),
        npy(" False, 'shape': (3, 2), }\n\0", bytes(48)),
        npy("{'descr': '<i8', 'fortran_order': False, 'shape': (2,)}"),
        npy("{'descr': [('a', '<i8'), ('b', '|O')], 'fortran_order': False, 'shape': (2,)}", bytes(32)),
        b"\x93NUMPY\x01\x00",
    ],
)
def test_what_cannot_be_is_an_error_of_the_format(tmp_path: Path, read, content: bytes) -> None:
    path = tmp_path / "array"
    path.write_bytes(content)
    with pytest.raises(FormatError) as caught:
        read(path)
    assert str(path) in caught.value.what
    assert "\n" not in caught.value.what
    assert len(caught.value.what) < 400


def test_headers_of_python_2_are_read_without_a_warning(tmp_path: Path) -> None:
    """NumPy warns of them; pytest makes an error of that."""
    path = tmp_path / "old.npy"
    path.write_bytes(array("(3L,)", content=np.array([3, 1, 2]).tobytes()))
    columns = read_columns(str(path), TableOptions(), CPU, 1, ALLOWED)
    assert columns.arrays[0].tolist() == [3, 1, 2]


@pytest.mark.parametrize("shape", first_quick(["(0, 2147483648)", "(1, 1048577)", "(2, 1048577)"]))
def test_number_of_columns_is_limited(tmp_path: Path, shape: str) -> None:
    path = tmp_path / "array"
    path.write_bytes(array(shape, "|u1", bytes(1 << 21)))
    with pytest.raises(FormatError, match="expected at most 1,048,576 columns"):
        as_numbers(path)
    path.write_text("1," * 1_048_576 + "1\n")
    with pytest.raises(FormatError, match="expected at most 1,048,576 columns, got 1,048,577"):
        as_numbers(path)
    path.write_text("1," * 999_999 + "1\n")
    with pytest.raises(OutOfMemoryError):  # a column takes memory beside its numbers
        as_numbers(path)


def test_many_columns_with_short_lines_are_an_error_of_the_format(tmp_path: Path) -> None:
    path = tmp_path / "wide"
    path.write_text("1 " * 200_000 + "\n" + "1\n" * 1_000_000)
    with pytest.raises(FormatError, match="line 2: 1 column, but 200000"):
        read_columns(str(path), TableOptions(), CPU)


@pytest.mark.parametrize("read", [as_numbers, as_graph])
def test_declared_size_is_checked_before_memory_is_taken(tmp_path: Path, read) -> None:
    path = tmp_path / "array"
    path.write_bytes(array("(100000000, 2)", content=bytes(1000)))
    tracemalloc.start()
    try:
        with pytest.raises(OutOfMemoryError):
            read(path)
        assert tracemalloc.get_traced_memory()[1] < ALLOWED // 2
    finally:
        tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_zip_bombs_do_not_inflate(tmp_path: Path, compress) -> None:
    zeros = array("(12500000,)", content=bytes(100_000_000))
    path = tmp_path / "bomb.npz"
    path.write_bytes(compress(npz({"tails.npy": zeros, "heads.npy": zeros})))
    assert path.stat().st_size < 1 << 20
    tracemalloc.start()
    try:
        with pytest.raises(OutOfMemoryError, match="takes more than"):
            as_graph(path)
        assert tracemalloc.get_traced_memory()[1] < ALLOWED // 2
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("declared", first_quick([100, 50_000]))
def test_sizes_that_a_zip_declares_wrongly(tmp_path: Path, declared: int) -> None:
    zeros = array("(12500000,)", content=bytes(100_000_000))
    content = npz({"tails.npy": zeros, "heads.npy": array("(0,)")})
    path = tmp_path / "bomb.npz"
    path.write_bytes(content.replace(struct.pack("<I", len(zeros)), struct.pack("<I", declared)))
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match=r"Bad CRC-32|an array of 100,000,000 bytes in a member of 50,000"):
            as_graph(path)
        assert tracemalloc.get_traced_memory()[1] < ALLOWED // 2
    finally:
        tracemalloc.stop()


def test_bytes_behind_an_array(tmp_path: Path) -> None:
    path = tmp_path / "graph.npz"
    path.write_bytes(npz({"tails.npy": array("(1,)", content=bytes(9)), "heads.npy": array("(1,)", content=bytes(8))}))
    with pytest.raises(FormatError, match="tails: has bytes after the array"):
        as_graph(path)


def test_arrays_of_numpy_are_read(tmp_path: Path) -> None:
    path = tmp_path / "graph.npz"
    for order in ("C", "F"):
        edges = np.array([[0, 1], [1, 2], [2, 0]], order=order)
        np.save(tmp_path / "graph.npy", edges)
        assert read_graph(str(tmp_path / "graph.npy"), GraphInputOptions(), RunOptions(), CPU).col.tolist() == [1, 2, 0]
        np.savez_compressed(path, tails=edges[:, :1], heads=edges[:, 1:])
        assert read_graph(str(path), GraphInputOptions(), RunOptions(), CPU).col.tolist() == [1, 2, 0]


NOT_JSON = {
    b"[" * 200_000: "nested in more than 100 levels",
    b'{"a":' * 200_000: "nested in more than 100 levels",
    b"[" * 101 + b"]" * 101: "nested in more than 100 levels",
    b'{"a": NaN}': "NaN is no number of JSON",
    b"[-Infinity]": "-Infinity is no number of JSON",
    b"[1e999]": "1e999 is beyond the range of floats",
    b"[" + b"9" * 5000 + b"]": "beyond the range of floats",
    b"[" + b"9" * 400 + b"]": "beyond the range of floats",
    b'["\\ud800"]': "one half of a surrogate pair",
    b'{"\\uDFFF": 1}': "one half of a surrogate pair",
    b"[\xff]": "not UTF-8",
    b"[1,": "Expecting value",
    b"": "Expecting value",
}


def test_names_of_files_that_are_not_utf_8_may_be_in_json():
    content = to_json(["a\udcff"])
    assert parse_json(content, errors="surrogateescape") == ["a\udcff"]
    with pytest.raises(ValueError, match="one half of a surrogate pair"):
        parse_json(content)
    with pytest.raises(ValueError, match="one half of a surrogate pair"):
        parse_json(b'["\\ud800"]', errors="surrogateescape")


@pytest.mark.parametrize(("content", "message"), NOT_JSON.items(), ids=str)
def test_what_is_not_json(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_json(content)
    meta = array(f"({len(content)},)", "|u1", content)
    (tmp_path / "graph.npz").write_bytes(npz({"meta.npy": meta}))
    (tmp_path / "graph").mkdir()
    (tmp_path / "graph" / "meta.json").write_bytes(content)
    for name in ("graph.npz", "graph"):
        with pytest.raises(FormatError, match=message) as caught:
            as_graph(tmp_path / name)
        assert "\n" not in caught.value.what


def test_json_of_a_hundred_levels_is_read() -> None:
    assert str(parse_json(b'[{"a": ' * 50 + b"1" + b"}]" * 50)).count("[{'a': ") == 50


def test_json_with_whole_letters_is_read() -> None:
    assert parse_json(b'{"\\ud83d\\ude00": [1.5, null, "\\\\ud800"]}') == {"\U0001f600": [1.5, None, "\\ud800"]}


def test_messages_hold_no_addresses(tmp_path: Path) -> None:
    """Python names the place of an object in memory, which differs from run to run."""
    path = tmp_path / "graph.npy"
    path.write_bytes(npy("{'descr': '<i8', 'fortran_order': False, 'shape': (len('ab'),)}"))
    with pytest.raises(FormatError, match=r"header of this \.npy is damaged") as caught:
        read_columns(str(path), TableOptions(), CPU)
    assert " at 0x" not in caught.value.what


def test_types_of_many_fields_are_cut_in_messages(tmp_path: Path) -> None:
    path = tmp_path / "table.npy"
    fields = ", ".join(f"('field_{i}', '<i8')" for i in range(99))
    path.write_bytes(npy(f"{{'descr': [{fields}], 'fortran_order': False, 'shape': (0,)}}"))
    for read in (
        lambda path: read_graph(str(path), GraphInputOptions(), RunOptions(), CPU),
        lambda path: read_columns(str(path), TableOptions(), CPU),
    ):
        with pytest.raises(FormatError, match="an array of ") as caught:
            read(path)
        assert len(caught.value.what) < len(str(path)) + 200


def test_damage_behind_an_array_is_found(tmp_path: Path) -> None:
    """The checksum of compressed data comes last."""
    packed = bytearray(gzip.compress(array("(5000,)", content=bytes(40_000))))
    packed[-6] ^= 0xFF
    path = tmp_path / "numbers.npy"
    path.write_bytes(packed)
    for block_bytes in (100, 40_000, 1 << 20):
        with pytest.raises(FormatError, match="the compressed data are corrupt"):
            read_columns(str(path), TableOptions(), CPU, block_bytes=block_bytes)
        with pytest.raises(FormatError, match="the compressed data are corrupt"):
            read_graph(str(path), GraphInputOptions(), RunOptions(), CPU, block_bytes)
