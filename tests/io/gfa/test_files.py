"""Lines of GFA are the same however many of them are formatted at once."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.graph.options import GraphInputOptions
from debruijn_gpu.io.fastx import record_text
from debruijn_gpu.io.fastx.record_text import choice_field
from debruijn_gpu.io.gfa.files import LinkColumns, PathColumns, SegmentColumns, tags_field, write_records
from debruijn_gpu.io.graphs.files import read_graph, write_graph
from debruijn_gpu.run.options import RunOptions

N_SEGMENTS = 40
#: 40 segments, 39 links and 38 paths, in the order in which they are written
LINES = [
    *(f"S\ts{i}\t{'ACGT' * (i + 1)}\tLN:i:{4 * (i + 1)}" for i in range(N_SEGMENTS)),
    *(f"L\ts{i}\t+\ts{i + 1}\t+\t{i % 4}M\tMQ:i:{i}" for i in range(N_SEGMENTS - 1)),
    *(f"P\tp{i}\ts{i}+,s{i + 1}+\t*\tco:Z:a b" for i in range(N_SEGMENTS - 2)),
]
TEXT = "\n".join(["H\tVN:Z:1.0", *LINES, ""])


@pytest.mark.parametrize("many_records", [0, 1 << 20])
@pytest.mark.parametrize("at_once", [1, 7, 1 << 15])
def test_bytes_are_independent_of_block_size(tmp_path, tune, many_records, at_once):
    tune(many_records=many_records, block_records=at_once, paths_at_once=at_once)
    (tmp_path / "x.gfa").write_text(TEXT)
    stream = io.BytesIO()
    write_graph(stream, read_graph(str(tmp_path / "x.gfa"), GraphInputOptions(), RunOptions(), CPU), "gfa", CPU)
    assert stream.getvalue().decode() == TEXT


def test_columns_become_lines():
    stream, ends = io.BytesIO(), np.array([0, 1])
    write_records(
        stream,
        [SegmentColumns(choice_field([b"a", b"b"]), b"*", (b"\tLN:i:", choice_field([b"7", b"8"])))],
        [LinkColumns(choice_field([b"a", b"b"]), ends, choice_field([b"b", b"a"]), 1 - ends, b"3M")],
        [PathColumns(choice_field([b"p"]), (choice_field([b"a"]), b"+"))],
    )
    assert stream.getvalue().decode().splitlines() == [
        "H\tVN:Z:1.0",
        "S\ta\t*\tLN:i:7",
        "S\tb\t*\tLN:i:8",
        "L\ta\t+\tb\t-\t3M",
        "L\tb\t-\ta\t+\t3M",
        "P\tp\ta+\t*",
    ]


@pytest.mark.parametrize(
    ("tags", "kept"),
    [(b"", b""), (b"LN:i:4", b"\tLN:i:4"), (b"foo\tcl:Z:red", b"\tcl:Z:red"), (b"\t", b""), (b"x:i:1", b"")],
)
def test_tags_of_another_format_are_left_out(tags, kept):
    field = tags_field([tags, b"KC:i:1"])
    assert field.text.tobytes() == kept + b"\tKC:i:1"
    assert field.offsets.tolist() == [0, len(kept), len(kept) + 7]


@given(st.lists(st.integers(0, 1 << 23), max_size=50))
def test_blocks_of_records_are_bounded(lengths):
    offsets = np.cumsum([0, *lengths], dtype=np.int64)
    blocks = list(record_text.split_records(offsets))
    assert [i for start, stop in blocks for i in range(start, stop)] == list(range(len(lengths)))
    assert all(offsets[stop] - offsets[start] <= 1 << 22 or stop == start + 1 for start, stop in blocks)
