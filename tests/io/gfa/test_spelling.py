"""Sequences of the paths and walks of GFA files."""

from __future__ import annotations

import io
import itertools

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.gfa.spelling import spell_paths
from tests.naive.kmers import reverse_complement


@pytest.fixture
def spell(tmp_path):
    def spelled(text: str) -> dict[str, str]:
        (tmp_path / "graph.gfa").write_text(text)
        stream = io.BytesIO()
        n_paths = spell_paths(stream, str(tmp_path / "graph.gfa"), None)
        lines = stream.getvalue().decode().splitlines()
        assert len(lines) == 2 * n_paths
        found = {header.split()[0][1:]: sequence for header, sequence in zip(lines[::2], lines[1::2], strict=True)}
        assert [header.split("length=")[1] for header in lines[::2]] == [str(len(s)) for s in lines[1::2]]
        return found

    return spelled


GRAPH = """H\tVN:Z:1.2
S\ta\tACGTT
S\tb\tTTGCA
S\tc\tGGG
L\ta\t+\tb\t+\t2M
L\tb\t+\ta\t+\t1M
L\tb\t+\tc\t-\t0M
L\tb\t+\tb\t+\t*
L\tc\t-\ta\t-\t2M1D1M
J\ta\t+\tc\t+\t12
J\tc\t+\tb\t+\t*
J\tb\t-\tc\t+\t-5
"""


@pytest.mark.parametrize(
    ("line", "name", "sequence"),
    [
        ("P\tp\ta+,b+\t*", "p", "ACGTTGCA"),
        ("P\tp\ta+,b+\t2M", "p", "ACGTTGCA"),
        ("P\tp\ta+,b+\t0M", "p", "ACGTTTTGCA"),
        ("P\tp\tb-,a-\t*", "p", "TGCAACGT"),
        ("P\tp\ta+,b+\t2M,1M", "p", "ACGTTGC"),
        ("P\tp\tb+,c-\t*", "p", "TTGCACCC"),
        ("P\tp\tc+,b-\t*", "p", "GGGTGCAA"),
        ("P\tp\tc-,a-\t*", "p", "CCCCGT"[:3] + "AACGT"[3:]),
        ("P\tp\ta+;c+\t*", "p", "ACGTT" + "N" * 12 + "GGG"),
        ("P\tp\tc-;a-\t*", "p", "CCC" + "N" * 12 + "AACGT"),
        ("P\tp\tc+;b+\t*", "p", "GGG" + "N" * 100 + "TTGCA"),
        ("P\tp\tb-;c+\t*", "p", "TGCAA" + "N" * 10 + "GGG"),
        ("P\tp\tb+\t*", "p", "TTGCA"),
        ("W\ts\t1\tchr\t3\t11\t>a>b", "s#1#chr:3-11", "ACGTTGCA"),
        ("W\ts\t0\tchr\t*\t*\t<b<a", "s#0#chr", "TGCAACGT"),
    ],
)
def test_paths_are_spelled_by_links_jumps_and_their_own_overlaps(spell, line, name, sequence):
    assert spell(GRAPH + line + "\n") == {name: sequence}
    assert spell(line + "\n" + GRAPH) == {name: sequence}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("P\tp\ta+,a+\t*", r"line 13, field 3 \(SegmentNames\): expected a link a\+ a\+"),
        ("P\tp\tb+,b+\t*", r"the overlap of link b\+ b\+ is unknown"),
        ("P\tp\ta+,x+\t*", "expected a segment of the file with . or -, got x"),
        ("P\tp\ta+,b\t*", r"expected segments with \+ or -"),
        ("P\tp\ta+,b+\t9M", "expected an overlap within segment b, got 9 bases"),
        ("P\tp\ta+,b+\t1M,1M,1M", "expected 1 overlaps, got 3"),
        ("W\ts\t1\tchr\t0\t8\t>a>z", r"field 7 \(Walk\).*got z"),
        ("S\td\t*\nP\tp\td+\t*", "segment d has no sequence"),
        ("L\ta\t+\tb\t+\t1M\nP\tp\ta+,b+\t*", r"the overlap of link a\+ b\+ is ambiguous"),
        ("L\tc\t+\tc\t+\tx\nP\tp\tc+,c+\t*", r"expected a CIGAR in link c\+ c\+"),
    ],
)
def test_faults_name_line_and_field(spell, line, message):
    with pytest.raises(FormatError, match=message):
        spell(GRAPH + line + "\n")


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cuts=st.lists(st.integers(1, 6), min_size=1, max_size=6),
    overlap=st.integers(0, 5),
    signs=st.lists(st.booleans(), min_size=6, max_size=6),
    genome=st.text("ACGT", min_size=60, max_size=60),
    as_walk=st.booleans(),
)
def test_a_sequence_cut_into_segments_is_spelled_again(spell, cuts, overlap, signs, genome, as_walk):
    at, lines, steps = 0, [], []
    for i, cut in enumerate(cuts):
        segment = genome[at : at + cut + overlap]
        at += cut
        lines.append(f"S\ts{i}\t{reverse_complement(segment) if signs[i] else segment}")
        steps.append((f"s{i}", "+-"[signs[i]]))
    flip = {"+": "-", "-": "+"}
    for i, ((tail, a), (head, b)) in enumerate(itertools.pairwise(steps)):
        ends = (head, flip[b], tail, flip[a]) if signs[-i - 1] else (tail, a, head, b)
        lines.append("\t".join(("L", *ends, f"{overlap}M")))
    if as_walk:
        lines.append("W\ts\t1\tx\t*\t*\t" + "".join({"+": ">", "-": "<"}[sign] + name for name, sign in steps))
    else:
        lines.append("P\tp\t" + ",".join(map("".join, steps)) + "\t*")
    (sequence,) = spell("\n".join(lines) + "\n").values()
    assert sequence == genome[: sum(cuts) + overlap]
