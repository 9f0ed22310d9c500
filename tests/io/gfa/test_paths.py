"""Contigs and scaffolds as paths of GFA, and gaps as jumps."""

from __future__ import annotations

import io

import numpy as np
import pytest

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.errors import FormatError
from debruijn_gpu.graph.options import GraphInputOptions
from debruijn_gpu.io.fastx.fasta import read_parts
from debruijn_gpu.io.gfa.contigs import read_gfa_contigs, write_gfa
from debruijn_gpu.io.gfa.links import parse_path
from debruijn_gpu.io.graphs.files import read_graph, write_graph
from debruijn_gpu.run.options import RunOptions
from tests.assembly.examples import fork
from tests.assembly.scaffold_examples import paths_of, resolved, scaffolds_of
from tests.helpers import sequences_of

JUMPS = ["J\t3\t+\t5\t-\t-7\tnr:i:12", "J\t2\t-\t4\t-\t300\tnr:i:3", "J\t3\t-\t5\t-\t4\tnr:i:1"]
PATHS = [
    *("P\tcontig_1\t1+,4+,3+\t*", "P\tcontig_2\t2+,4+,5+\t*", "P\tcontig_3\t3-\t*", "P\tcontig_4\t4-\t*"),
    *("P\tcontig_5\t5+\t*", "P\tcontig_6\t6+\t*"),
    *("P\tscaffold_1\t1+,4+,3+;5-,4-,2-;4-\t*", "P\tscaffold_2\t3-;5-\t*"),
]


def lines_of(graph, n_paths, *walks):
    stream = io.BytesIO()
    write_gfa(stream, graph, 0, n_paths, *walks)
    return stream.getvalue().decode().splitlines()


def resolved_lines():
    graph, walks, contigs, scaffolds = resolved()
    return lines_of(graph, len(contigs), walks, scaffolds)


def reread(path):
    return read_graph(str(path), GraphInputOptions(), RunOptions(), CPU)


def written(graph, file_format="gfa"):
    stream = io.BytesIO()
    write_graph(stream, graph, file_format, CPU)
    return stream.getvalue().decode().splitlines()


@pytest.mark.parametrize("many_records", [0, 1 << 20])
@pytest.mark.parametrize("at_once", [1, 2, 1 << 15])
def test_gaps_are_jumps_between_the_ends_of_contigs(tune, many_records, at_once):
    tune(many_records=many_records, block_records=at_once)
    lines = resolved_lines()
    assert lines[0] == "H\tVN:Z:1.2"
    assert [line for line in lines if line[0] == "J"] == JUMPS
    assert [line for line in lines if line[0] == "P"] == PATHS
    assert "".join(line[0] for line in lines) == "HSSSSSSLLLLLJJJPPPPPPPP"


def test_without_gaps_the_version_is_1_0():
    graph, walks, contigs, _scaffolds = resolved()
    lines = lines_of(graph, len(contigs), walks)
    assert lines[0] == "H\tVN:Z:1.0"
    assert lines == lines_of(graph, len(contigs), walks, scaffolds_of(*(f"{i}+" for i in range(1, 7))))
    assert [line for line in lines if line[0] == "P"] == PATHS[:6]


def test_walks_of_one_segment_each_are_the_paths_of_contigs():
    assert lines_of(fork(), 2) == lines_of(fork(), 2, paths_of("1+", "2+", "3+", "4+"))
    gaps = lines_of(fork(), 3, None, scaffolds_of(("1+ 3-", (20, 2)), "2+"))
    assert gaps[-5:] == [
        "J\t1\t+\t3\t-\t20\tnr:i:2",
        *(f"P\tcontig_{i}\t{i}+\t*" for i in (1, 2, 3)),
        "P\tscaffold_1\t1+;3-\t*",
    ]


def test_readers_accept_jumps(tmp_path):
    path, graph = tmp_path / "x.gfa", resolved()[0]
    path.write_text("\n".join([*resolved_lines(), ""]))
    found = read_gfa_contigs(str(path)).contigs
    assert sequences_of(found) == sequences_of(graph)
    assert np.array_equal(found.links, graph.links)
    assert [part.name for part in read_parts(str(path)) if part.is_first] == list("123456")


@pytest.mark.parametrize("file_format", ["gfa", "npz"])
def test_graphs_keep_jumps_and_paths_over_them(tmp_path, tune, file_format):
    tune(block_records=2, paths_at_once=3)
    path = tmp_path / "x.gfa"
    path.write_text("\n".join([*resolved_lines(), ""]))
    graph = reread(path)
    if file_format != "gfa":
        with open(tmp_path / "x.npz", "wb") as stream:
            write_graph(stream, graph, file_format, CPU)
        graph = reread(tmp_path / "x.npz")
    assert written(graph) == resolved_lines()


def test_jumps_are_left_out_with_links(tmp_path):
    """Without a link of the file, paths over jumps would lead through another graph."""
    path = tmp_path / "x.gfa"
    path.write_text("\n".join([*resolved_lines(), ""]))
    graph = read_graph(str(path), GraphInputOptions(reverse=True), RunOptions(), CPU)
    lines = written(graph)
    assert lines[0] == "H\tVN:Z:1.0"
    assert [line for line in lines if line[0] in "JP"] == [
        line for line in PATHS if "," not in line and ";" not in line
    ]


@pytest.mark.parametrize(
    ("text", "steps", "jumps"),
    [
        (b"a+;b-", [0, 3], [0]),
        (b"a+,b-;a-;b+,b+", [0, 3, 1, 2, 2], [1, 2]),
        (b"c;d+,a+", [4, 0], []),
        (b"c;d+;a+", [4, 0], [0]),
        (b"c;d-;c;d+", [5, 4], [0]),
        (b"a+;b-;c+", [6], []),
    ],
)
def test_semicolons_are_jumps_unless_they_are_in_names(text, steps, jumps):
    names = {b"a": 0, b"b": 1, b"c;d": 2, b"a+;b-;c": 3}
    found = parse_path(b"P\tp\t" + text + b"\t*", "x", names)
    assert (found.steps, found.jumps) == (steps, jumps)


def test_links_of_a_path_leave_jumps_out():
    found = parse_path(b"P\tp\ta+,b-;a-", "x", {b"a": 0, b"b": 1})
    assert list(found.links()) == [(0, 3)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("J\ta\t+\tb\t200", "expected a jump"),
        ("J\ta\t*\ta\t+\t200", "expected a jump"),
        ("J\ta\t+\tb\t+\t200", "there is no segment b"),
        ("J\ta\t+\ta\t-\t2M", "expected a distance"),
        ("J\ta\t+\ta\t-\t", "expected a distance"),
        ("P\tp\ta+;b+\t*", "expected a segment with . or - in the path, got b"),
        ("P\tp\ta+;;a+\t*", "expected a segment"),
    ],
)
def test_faulty_jumps_are_refused(tmp_path, line, message):
    (tmp_path / "x.gfa").write_text(f"S\ta\tACGT\n{line}\n")
    with pytest.raises(FormatError, match=rf"line 2: {message}"):
        read_gfa_contigs(str(tmp_path / "x.gfa"))


@pytest.mark.parametrize("rest", ["\t*", "\t-12", "\t+12\tSC:i:1", ""])
def test_distances_are_optional(tmp_path, rest):
    path = tmp_path / "x.gfa"
    path.write_text(f"S\ta\tACGT\nJ\ta\t+\ta\t-{rest}\n")
    assert written(reread(path))[2:] == [f"J\ta\t+\ta\t-{rest or chr(9) + '*'}"]
