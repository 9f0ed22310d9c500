"""Graphs read back as contigs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from debruijn_gpu.assembly.links import canonical_links
from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.errors import FormatError
from debruijn_gpu.graph.options import GraphInputOptions
from debruijn_gpu.io.fastx.fasta import read_parts
from debruijn_gpu.io.gfa.contigs import named_contigs, read_gfa_contigs, write_gfa
from debruijn_gpu.io.graphs.files import read_graph
from debruijn_gpu.run.options import RunOptions
from tests.assembly.examples import contigs_of, fork
from tests.helpers import sequences_of


def read(tmp_path, text):
    (tmp_path / "x.gfa").write_text(text)
    return read_gfa_contigs(str(tmp_path / "x.gfa"))


def test_what_was_written_is_read(tmp_path):
    with open(tmp_path / "x.gfa", "wb") as stream:
        write_gfa(stream, fork(), 0, n_paths=2)
    found = read_gfa_contigs(str(tmp_path / "x.gfa"))
    assert found.names == ["1", "2", "3", "4"]
    assert sequences_of(found.contigs) == sequences_of(fork())
    assert found.contigs.k == 5
    assert np.array_equal(found.contigs.links, fork().links)
    assert found.contigs.circular.tolist() == [False, False, False, True]
    assert found.contigs.kmer_depth[:3] == pytest.approx(fork().kmer_depth[:3], rel=0.2)


@st.composite
def graphs(draw):
    """Contigs with odd depths, circular ones, and any links between them, also of a contig to itself."""
    k = draw(st.integers(1, 7))
    sequences = draw(st.lists(st.text("ACGT", min_size=k, max_size=20).map(str.encode), max_size=5))
    n = len(sequences)
    counts = draw(st.lists(st.integers(0, 10**6) | st.integers(0, 10**15), min_size=n, max_size=n))
    circular = draw(st.sets(st.integers(0, n - 1))) if n else ()
    links = draw(st.lists(st.tuples(*2 * [st.integers(0, 2 * n - 1)]), max_size=8)) if n else []
    canonical = canonical_links(np.array(links, np.int64).reshape(-1, 2), n)
    return contigs_of(sequences, k, counts, circular, canonical)


@given(graphs())
@example(fork())
@example(contigs_of([], 5))
@example(contigs_of([b"ACGTA"], 5, [3], circular=[0]))  # no overlap tells k
@example(contigs_of([b"A" * 8, b"C" * 8], 1, [1, 3], links=[(0, 0), (1, 2)]))  # 0.125 is printed as 0.12
@example(contigs_of([b"ACGTACGT"], 1, [5], links=[(0, 0)]))  # circular by its link alone
def test_contigs_in_memory_are_those_of_the_file(tmp_path_factory, contigs):
    path = tmp_path_factory.mktemp("graph") / "x.gfa"
    with open(path, "wb") as stream:
        write_gfa(stream, contigs, 0, n_paths=len(contigs))
    read, known = read_gfa_contigs(str(path)), named_contigs(contigs)
    assert read.names == known.names
    assert read.contigs.k == known.contigs.k
    for name in ("lengths", "depths"):
        assert_same(getattr(read, name), getattr(known, name))
    for name in ("text", "offsets", "kmer_counts", "n_kmers", "circular", "links"):
        assert_same(getattr(read.contigs, name), getattr(known.contigs, name))


def assert_same(some, others):
    assert some.dtype == others.dtype
    assert some.shape == others.shape
    assert some.tolist() == others.tolist()


def test_links_may_come_before_their_segments(tmp_path):
    found = read(tmp_path, "S\ta\tACG\nL\ta\t+\tb\t-\t2M\nL\ta\t+\ta\t-\t1M\nS\tb\tACGT\n").contigs
    assert found.links.tolist() == [[0, 1], [0, 3]]


def test_depth_by_tags(tmp_path):
    found = read(tmp_path, "S\ta\tACGT\tdp:f:7.0\nS\tb\tacgt\tLN:i:4\tKC:i:8\nS\tc\tACGT\n").contigs
    assert found.kmer_depth.tolist() == [7, 2, 0]
    assert found.text.tobytes() == b"ACGTACGTACGT"


@pytest.mark.parametrize(
    ("tags", "coverage"),
    [
        ("LN:i:4\tKC:i:8\tDP:f:7.5", 7.5),
        ("DP:f:+.5e1\tLN:i:4", 5),
        ("dp:i:30", 30),  # Flye
        ("LN:i:4\trd:i:12", 12),  # hifiasm
        ("FC:i:8", 2),
        ("DP:f:1e99", 0),
        ("XX:Z:DP:f:9 DP:f:9", 0),
        ("\t", 0),
    ],
)
def test_tags_of_other_programs(tmp_path, tags, coverage):
    found = read(tmp_path, f"S\ta\tACGT\t{tags}\r\n")
    assert found.depths.tolist() == found.contigs.kmer_depth.tolist() == [coverage]


def test_depths_of_short_segments_are_kept_as_they_are(tmp_path):
    found = read(tmp_path, "S\ta\tACGTA\tDP:f:1.4\nS\tb\tACGTA\tKC:i:3\nL\ta\t+\tb\t+\t4M\n")
    assert found.contigs.kmer_depth.tolist() == [1, 3]
    assert found.depths.tolist() == [1.4, 3]


@pytest.mark.parametrize(("tags", "length"), [("dp:f:1\tLN:i:12", 12), ("LN:i:3000000000", 3_000_000_000), ("", 0)])
def test_unknown_sequences_have_lengths_and_no_text(tmp_path, tags, length):
    """50 bytes of input must not become 3 GB of text, whether other sequences are known or not."""
    (tmp_path / "x.gfa").write_text(f"S\ta\t*\t{tags}\nS\tb\t\nS\tc\tAC\nL\ta\t+\tc\t+\t*\n")
    found = read_gfa_contigs(str(tmp_path / "x.gfa"), needs_sequences=False)
    assert found.lengths.tolist() == [length, 0, 2]
    assert found.contigs.text.tobytes() == b"AC"
    assert found.contigs.links.tolist() == [[0, 4]]


@pytest.mark.parametrize(
    ("name", "tags", "coverage"),
    [
        ("NODE_1_length_4_cov_3.5", "", 3.5),
        ("NODE_1_length_4_cov_3.2500_ID_1", "LN:i:4", 3.25),
        ("NODE_1_length_4_cov_3.5", "KC:i:8", 2),
        ("NODE_1_length_4_cov_3.5", "DP:f:7", 7),
        ("x_cov_y", "", 0),
    ],
)
def test_depths_in_names(tmp_path, name, tags, coverage):
    assert read(tmp_path, f"S\t{name}\tACGT\t{tags}\n").depths.tolist() == [coverage]


def test_contig_that_continues_elsewhere_too_is_not_circular(tmp_path):
    text = "S\ta\tACGT\nS\tb\tACGT\nL\ta\t+\ta\t+\t0M\nL\ta\t-\ta\t-\t0M\nL\ta\t+\tb\t+\t3M\n"
    found = read(tmp_path, text).contigs
    assert found.circular.tolist() == [False, False]
    assert found.links.tolist() == [[0, 0], [0, 2]]
    assert found.k == 4


def test_empty(tmp_path):
    found = read(tmp_path, "H\tVN:Z:1.0\n")
    assert len(found.contigs) == len(found.depths) == 0
    assert found.contigs.kmer_counts.dtype == np.int64
    assert found.contigs.k == 1
    assert np.array_equal(found.contigs.offsets, contigs_of([], 5).offsets)


#: Lines after the header and what is said of the last of them, in every reader of links
FAULTS = [
    ("S\ta", "expected a segment (S, name, sequence), got S\\ta"),
    ("S\t\tA", "expected a segment (S, name, sequence), got S\\t\\tA"),
    ("S\ta\tA\nS\ta\tC", "expected a new segment name, got a again"),
    ("S\ta\tAC1T", "segment a: '1' is not a base"),
    ("S\ta\tAC*", "segment a: '*' is not a base"),
    ("S\ta\tAC GT", "segment a: ' ' is not a base"),
    ("S\ta\tACGT\tLN:i:9", "segment a: expected LN:i:4 by its sequence, got LN:i:9"),
    ("S\ta\tACGT\tLN:i:x", "segment a: expected an integer from 0 on in tag LN, got x"),
    ("S\ta\tACGT\tLN:Z:4", "segment a: expected LN:i: and a value, got LN:Z:4"),
    ("S\ta\tACGT\tLN:i:4\tLN:i:4", "segment a: expected tag LN once, got LN:i:4 too"),
    ("S\ta\t*\tLN:i:-1", "segment a: expected an integer from 0 on in tag LN, got -1"),
    (f"S\ta\t*\tLN:i:{2**63}", "segment a: expected an integer from 0 on in tag LN, got 9223372036854775808"),
    ("S\ta\t*\tLN:i:" + "9" * 5000, "segment a: expected an integer from 0 on in tag LN, got " + "9" * 40),
    ("S\ta\tA\tKC:i:-3", "segment a: expected an integer from 0 on in tag KC, got -3"),
    ("S\ta\tA\tKC:i:1.5", "segment a: expected an integer from 0 on in tag KC, got 1.5"),
    ("S\ta\tA\tRC:i:" + "9" * 5000, "segment a: expected an integer from 0 on in tag RC, got " + "9" * 40),
    ("S\ta\tA\tFC:f:2", "segment a: expected FC:i: and a value, got FC:f:2"),
    ("S\ta\tA\tDP:f:x", "segment a: expected a number from 0 on in tag DP, got x"),
    ("S\ta\tA\tDP:f:-1", "segment a: expected a number from 0 on in tag DP, got -1"),
    ("S\ta\tA\tDP:f:nan", "segment a: expected a number from 0 on in tag DP, got nan"),
    ("S\ta\tA\tDP:f:1e400", "segment a: expected a number from 0 on in tag DP, got 1e400"),
    ("S\ta\tA\trd:i:", "segment a: expected a number from 0 on in tag rd, got "),
    ("L\ta\t+\tb\t+\t1M", "there is no segment a"),
    ("S\ta\tA\nL\ta\t?\ta\t+\t0M", "expected a link (L, name, + or -, name, + or -, overlap), got L\\ta\\t?"),
    ("S\ta\tA\nL\ta\t+", "expected a link (L, name, + or -, name, + or -, overlap), got L\\ta\\t+"),
    ("S\ta\tAC\nL\ta\t+\ta\t+\tx", "expected an overlap such as 30M or *, got x"),
    ("S\ta\tAC\nL\ta\t+\ta\t+\t", "expected an overlap such as 30M or *, got "),
    ("S\ta\tAC\nL\ta\t+\ta\t+\t-1M", "expected an overlap such as 30M or *, got -1M"),
    ("S\ta\tAC\nL\ta\t+\ta\t+\t3M", "expected an overlap of at most 2 bases, all of segment a, got 3M"),
    ("S\ta\tAC\nL\ta\t+\ta\t+\t" + "9" * 5000 + "M", "expected an overlap of at most 2 bases, all of segment a, got 9"),
    ("S\ta\t*\nL\ta\t+\ta\t+\t" + "9" * 20 + "M", "expected an overlap of at most 1,099,511,627,776 bases, got 9"),
    ("S\ta\t*\tLN:i:5\nL\ta\t+\ta\t+\t3M3D", "expected an overlap of at most 5 bases, all of segment a, got 3M3D"),
    ("S\ta\tA\nP\tp\ta+,b+\t*", "expected a segment with + or - in the path, got b+"),
    ("S\ta\tA\nP\tp\ta\t*", "expected a segment with + or - in the path, got a"),
    ("S\ta\tA\nP\tp", "expected a path (P, name, segments), got P\\tp"),
]


@pytest.mark.parametrize(("lines", "message"), FAULTS)
def test_faults_have_a_line(tmp_path, lines, message):
    text = "H\tVN:Z:1.0\n# graph\n" + lines + "\n"
    (tmp_path / "x.gfa").write_text(text)
    readers = [
        lambda path: read_gfa_contigs(path, needs_sequences=False),
        lambda path: read_graph(path, GraphInputOptions(), RunOptions(), CPU),
        lambda path: list(read_parts(path)),
    ]
    for reader in readers[: 2 if lines.startswith("L") or "\n" in lines or "*\t" in lines else 3]:
        with pytest.raises(FormatError) as caught:
            reader(str(tmp_path / "x.gfa"))
        assert f"x.gfa: line {len(text.splitlines())}: {message}" in caught.value.what
        assert len(caught.value.what) < 250
        assert caught.value.fix


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("S\ta\t*", "line 1: segment a has no sequence"),
        ("L\tb\t+\tb\t+\t*\nS\tb\t", "line 2: segment b has no sequence"),
        ("H\tVN:Z:2.0\nS\ta\t4\tACGT", "this is GFA 2, which is not read"),
    ],
)
def test_missing_sequences_and_gfa_2_are_errors_of_contigs_and_fasta(tmp_path, lines, message):
    (tmp_path / "x.gfa").write_text(lines + "\n")
    for reader in (read_gfa_contigs, lambda path: list(read_parts(path))):
        with pytest.raises(FormatError) as caught:
            reader(str(tmp_path / "x.gfa"))
        assert caught.value.what == f"{tmp_path / 'x.gfa'}: {message}"


def test_long_cigar_strings_fit_by_what_they_take_of_each_segment(tmp_path):
    found = read(tmp_path, "S\ta\tACGTAC\nS\tb\tACG\nL\ta\t+\tb\t-\t2M3D1=\nL\tb\t-\ta\t+\t2M3I1X9H\n")
    assert found.contigs.links.tolist() == [[0, 3], [1, 2]]
