"""Defects of GFA files, each in a file that is sound without it."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.errors import FormatError, OutOfMemoryError
from debruijn_gpu.io.gfa.checking import GfaChecker

SHA = hashlib.sha256(b"ACGTT").hexdigest().upper().encode()
SOUND = [
    b"H\tVN:Z:1.2\tTS:i:3",
    b"# a comment\twith a tab",
    b"P\tp\ta+,b+\t2M",
    b"S\ta\tACGTT\tLN:i:5\tSH:H:" + SHA + b'\txa:A:*\txb:B:c,1,-128\txf:f:-1.5e-3\txj:J:{"a": [1]}',
    b"S\tb\tTTGCA\tDP:f:3\tUR:Z:file name",
    b"S\tc\t*\tLN:i:7",
    b"S\td;e,f\tCGT",
    b"L\ta\t+\tb\t+\t2M\tID:Z:x",
    b"L\tb\t+\tc\t-\t2M1D",
    b"L\tc\t+\td;e,f\t+\t*",
    b"L\tb\t-\ta\t+\t1=1X1I",
    b"L\ta\t-\ta\t+\t4=",
    b"J\ta\t-\tc\t+\t-30\tSC:i:1",
    b"C\ta\t+\td;e,f\t+\t1\t3M",
    b"C\ta\t-\td;e,f\t-\t1\t3=",
    b"P\tq\tc+,b-,a-\t1I2M,*",
    b"P\tr\ta-;c+,b-\t*\txx:i:1",
    b"P\ts\td;e,f+\t*",
    b"W\ts\t1\tchr\t0\t8\t>a>b",
    b"W\ts\t1\tchr\t*\t*\t<b<a",
]


@pytest.fixture
def check(tmp_path):
    def defects(lines: list[bytes], allowed: int | None = None) -> list[tuple[int, int, str]]:
        path = tmp_path / "graph.gfa"
        path.write_bytes(b"\n".join(lines) + b"\n")
        checker = GfaChecker(str(path), allowed)
        found = list(checker.defects())
        assert checker.n_defects == len(found)
        return [(one.line, one.number, one.what) for one in found]

    return defects


def test_a_sound_file_has_no_defects(check):
    assert check(SOUND) == []
    assert check(SOUND[1:]) == []
    assert check([line + b"\r" for line in SOUND]) == []
    assert check([b"", *SOUND, b""]) == []


#: A line that replaces line i of SOUND, or is appended (None); field and message of its only defect
DEFECTS = [
    (0, b"H\tVN:Z:1.3", 2, "expected 1.0, 1.1 or 1.2"),
    (0, b"H\tTS:Z:3", 2, "expected type i"),
    (None, b"X\ta", 1, "expected H, S, L, C, P, W, J or #"),
    (None, b"S a ACGT", 1, "expected H, S"),
    (None, b"S\tx", 3, "expected letters of a sequence"),
    (None, b"S", 2, "expected a name"),
    (None, b"S\t\tA", 2, "expected a name of printable characters"),
    (None, b"S\t*x\tA", 2, "expected a name"),
    (None, b"S\t=x\tA", 2, "expected a name"),
    (None, b"S\tx y\tA", 2, "expected a name"),
    (None, b"S\tx\xc3\xbc\tA", 2, "expected a name"),
    (None, b"S\tx+,y\tA", 2, "without + or - before a comma"),
    (None, b"S\tb\tA", 2, "got b of line 5 again"),
    (None, b"S\tx\tAC-T", 3, "expected letters"),
    (None, b"S\tx\t", 3, "expected letters"),
    (None, b"S\tx\tACGT\tLN:i:5", 4, "expected 4 by the sequence, got 5"),
    (None, b"S\tx\tACGT\tLN:i:-4", 4, "expected a length from 0 on"),
    (None, b"S\tx\tACGT\tLN:f:4", 4, "expected type i"),
    (None, b"S\tx\tACGT\tSH:H:00", 4, "expected SHA-256"),
    (None, b"S\tx\tACGT\tSH:H:0", 4, "expected pairs of digits"),
    (None, b"S\tx\tACGT\tKC:i:1.5", 4, "expected an integer"),
    (None, b"S\tx\tACGT\tKC:i:1\tKC:i:1", 5, "expected this tag once"),
    (None, b"S\tx\tACGT\tlower", 4, "expected a tag"),
    (None, b"S\tx\tACGT\t", 4, "expected a tag"),
    (None, b"S\tx\tACGT\t1x:i:1", 4, "expected a tag"),
    (None, b"S\tx\tACGT\txx:q:1", 4, "expected a tag"),
    (None, b"S\tx\tACGT\txx:A:ab", 4, "expected one printable character"),
    (None, b"S\tx\tACGT\txx:f:abc", 4, "expected a number"),
    (None, b"S\tx\tACGT\txx:Z:", 4, "expected printable characters"),
    (None, b"S\tx\tACGT\txx:J:{1", 4, "expected JSON"),
    (None, b"S\tx\tACGT\txx:B:c,128", 4, "expected a type"),
    (None, b"S\tx\tACGT\txx:B:C,-1", 4, "expected a type"),
    (None, b"S\tx\tACGT\txx:B:i,1.5", 4, "expected a type"),
    (None, b"S\tx\tACGT\txx:B:f", 4, "expected a type"),
    (None, b"L\ta\t+\tb\t+", 6, "expected a CIGAR"),
    (None, b"L\ta\t1\tb\t+\t*", 3, "expected + or -"),
    (None, b"L\ta\t+\tb\t\t*", 5, "expected + or -"),
    (None, b"L\ta\t+\tx\t+\t*", 4, "expected a segment of the file, got x"),
    (None, b"L\tx\t+\ta\t+\t*", 2, "expected a segment of the file, got x"),
    (None, b"L\ta\t+\tb\t+\t2Q", 6, "expected a CIGAR"),
    (None, b"L\ta\t+\tc\t-\t6M", 6, "expected at most 5 bases of segment a, got 6"),
    (None, b"L\ta\t+\tc\t-\t1M7I", 6, "expected at most 7 bases of segment c, got 8"),
    (None, b"L\ta\t+\tb\t-\t2=", 6, "expected equal bases in 2= at base 1"),
    (None, b"L\ta\t+\tb\t+\t1=1X", 6, "expected different bases in 1X at base 2"),
    (None, b"L\ta\t+\tb\t+\t*\tNM:Z:1", 7, "expected type i"),
    (None, b"J\ta\t+\tx\t+\t*", 4, "expected a segment of the file"),
    (None, b"J\ta\t+\tb\t+\tfar", 6, "expected an integer, or *"),
    (None, b"C\ta\t+\tx\t+\t0\t*", 4, "expected a segment of the file"),
    (None, b"C\ta\t+\td;e,f\t+\t-1\t3M", 6, "expected a position"),
    (None, b"C\ta\t+\td;e,f\t+\t3\t3M", 6, "expected an end within 5 bases"),
    (None, b"C\ta\t+\td;e,f\t+\t1\t2M", 7, "expected all 3 bases"),
    (None, b"C\ta\t+\td;e,f\t+\t0\t3=", 7, "expected equal bases"),
    (None, b"P\tp\ta+\t*", 2, "got p of line 3 again"),
    (None, b"P\tx\ta+,b\t*", 3, "expected segments with + or -"),
    (None, b"P\tx\ta,b+\t*", 3, "expected a segment of the file, got a,b"),
    (None, b"P\tx\ta+,b;b+\t*", 3, "expected a segment of the file, got b;b"),
    (None, b"P\tx\ta+,z+\t*", 3, "expected a segment of the file, got z"),
    (None, b"P\tx\tb+,a+\t*", 3, "expected a link b+ a+"),
    (None, b"P\tx\ta+;b+\t*", 3, "expected a jump a+ b+"),
    (None, b"P\tx\ta-,c+\t*", 3, "expected a link a- c+"),
    (None, b"P\tx\ta+,b+\t3M", 4, "expected overlap 2M of link a+ b+, got 3M"),
    (None, b"P\tx\ta+,b+\t2M,2M,2M", 4, "expected 1 overlaps of 2 segments"),
    (None, b"P\tx\ta+,b+\t2M,2M", 4, "expected a link b+ a+ for the last overlap"),
    (None, b"P\tx\ta+,b+\t2", 4, "expected CIGARs"),
    (None, b"P\tx\ta+,b+", 4, "expected CIGARs"),
    (None, b"W\ts\t-1\tchr\t*\t*\t>a", 3, "expected an integer"),
    (None, b"W\ts\t1\tchr\t0\t5\ta", 7, "expected segments, each behind"),
    (None, b"W\ts\t1\tchr\t5\t0\t>a", 6, "expected an end from 5 on"),
    (None, b"W\ts\t1\tchr\t5\t*\t>a", 6, "given both, or neither"),
    (None, b"W\ts\t1\tchr\t5\t9\t>a", 6, "expected 10 by the walk of 5 bases, got 9"),
    (None, b"W\ts\t1\tchr\t0\t8\t>a>b", 4, "got s#1#chr:0-8 of line 19 again"),
    (None, b"W\ts\t1\tx\t*\t*\t>a>z", 7, "expected a segment of the file, got z"),
    (None, b"W\ts\t1\tx\t*\t*\t>a<b", 7, "expected a link a+ b-"),
]


@pytest.mark.parametrize(("replaced", "line", "field", "message"), DEFECTS)
def test_each_defect_has_a_line_and_a_field(check, replaced, line, field, message):
    lines = list(SOUND)
    if replaced is None:
        lines.append(line)
    else:
        lines[replaced] = line
    ((at, number, what),) = check(lines)
    assert (at, number) == (len(lines) if replaced is None else replaced + 1, field)
    assert message in what


@pytest.mark.parametrize(("version", "n_defects"), [(b"1.0", 4), (b"1.1", 2), (b"1.2", 0)])
def test_lines_and_jumps_of_later_versions(check, version, n_defects):
    assert len(check([b"H\tVN:Z:" + version, *SOUND[1:]])) == n_defects


def test_several_defects_of_a_line_are_in_the_order_of_fields(check):
    found = check([b"S\t*\tA-\tLN:f:2\tbad", b"L\tx\t?\ty\t+\t1Q"])
    assert [(line, field) for line, field, _what in found] == [
        (1, 2), (1, 3), (1, 4), (1, 5), (2, 2), (2, 3), (2, 4), (2, 6),
    ]  # fmt: skip


def test_mismatches_within_m_are_counted(tmp_path):
    path = tmp_path / "graph.gfa"
    path.write_bytes(b"S\ta\tACGT\nS\tb\tTTTT\nL\ta\t+\tb\t+\t2M\nL\ta\t+\tb\t+\t1M\n")
    checker = GfaChecker(str(path), None)
    assert list(checker.defects()) == []
    assert checker.n_mismatches == 1


def test_gfa_2_and_lack_of_memory(check):
    with pytest.raises(FormatError, match="this is GFA 2"):
        check([b"H\tVN:Z:2.0", b"S\ta\t4\tACGT"])
    with pytest.raises(OutOfMemoryError):
        check(SOUND, allowed=3000)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_damage_gives_defects_or_none_but_no_other_error(check, data):
    lines = list(SOUND)
    for _ in range(data.draw(st.integers(1, 3))):
        i = data.draw(st.integers(0, len(lines) - 1))
        at = data.draw(st.integers(0, len(lines[i])))
        byte = data.draw(st.sampled_from([b"", b"\t", b"+", b",", b";", b"*", b"9", b"M", b"\xff", b"\x00", b"a"]))
        lines[i] = lines[i][:at] + byte + lines[i][at + data.draw(st.integers(0, 2)) :]
    if not any(b"VN:Z:2" in line for line in lines):
        for line, field, what in check(lines):
            assert 1 <= line <= len(lines)
            assert field >= 1
            assert what
