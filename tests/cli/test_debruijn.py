"""`dbg debruijn` and its commands, through their entry point."""

from __future__ import annotations

import gzip
import io
import itertools
import math
import os
import signal
import subprocess
import sys
import time
from collections import Counter

import numpy as np
import pytest

from debruijn_gpu.arithmetic.long_numbers import digits_of
from debruijn_gpu.sequences.options import METHODS, RANKED_METHODS
from tests.cli.test_signals import used_s
from tests.sequences.verilog import Module

PINS = ("debruijn", "--alphabet", "10", "-n", "4")


def windows_of(text, n, cyclic=True):
    around = text + text[: n - 1] if cyclic else text
    return [around[i : i + n] for i in range(len(around) - n + 1)]


def ran(dbg, *args):
    code, out, err = dbg(*args)
    assert code == 0, err
    return out.removesuffix("\n"), err


@pytest.mark.parametrize("method", METHODS)
def test_every_pin_is_in_it_once(dbg, method):
    if method == "lfsr":
        assert dbg(*PINS, "--method", method)[0] == 2
        return
    text, err = ran(dbg, *PINS, "--method", method)
    assert len(text) == 10_000
    assert len(set(windows_of(text, 4))) == 10_000
    assert text.startswith("0000")
    assert err == (
        "[dbg] cyclic sequence of 10,000 symbols for 10,000 words of 4 symbols; "
        "linear (--linear): 10,003 key presses, and trying them one by one takes 40,000\n"
    )


def test_linear(dbg):
    text, err = ran(dbg, *PINS, "--linear")
    assert len(text) == 10_003
    assert len(set(windows_of(text, 4, cyclic=False))) == 10_000
    assert err == "[dbg] 10,003 key presses for 10,000 words of 4 symbols; trying them one by one takes 40,000\n"
    assert ran(dbg, *PINS, "--linear", "-q") == (text, "")


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (("-n", 3), "00010111"),
        (("-n", 4), "0000100110101111"),
        (("--alphabet", "01", "-n", 3, "--linear"), "0001011100"),
        (("--alphabet", "ba", "-n", 2), "bbaa"),
        (("--alphabet", "red,green", "-n", 2), "red red green green"),
        (("--alphabet", "40", "-n", 1), " ".join(map(str, range(40)))),
        (("-n", 4, "--method", "grandmama"), "0000101001101111"),
        (("-n", 4, "--range", "4:10"), "100110"),
        (("-n", 4, "--range", ":3"), "000"),
        (("-n", 4, "--range", "14:"), "11"),
        (("-n", 4, "--range", "3:3"), ""),
        (("-n", 4, "--offset", "12"), "1111000010011010"),
        (("-n", 4, "--offset", "12", "--range", "3:8"), "10000"),
        (("-n", 4, "--offset", "12", "--linear", "--range", "15:"), "0111"),
        (("-n", 4, "--length"), "16"),
        (("-n", 4, "--length", "--linear"), "19"),
        (("--alphabet", "ACGT", "-n", 1000, "--length"), str(4**1000)),
        (("-n", 200, "--range", "2^199:2^199+0"), None),
    ],
)
def test_what_is_written(dbg, args, text):
    if text is None:
        assert dbg("debruijn", *args)[0] == 2
        return
    assert ran(dbg, "debruijn", *args)[0] == text


def test_any_part_of_a_sequence_beyond_all_memory(dbg):
    """The last symbols of B(2,300), in which the last word is all ones, and the first thousand from the middle."""
    args = ("debruijn", "-n", "300")
    end = 2**300
    assert ran(dbg, *args, "--range", f"{end - 300}:{end}")[0] == "1" * 300
    text, _ = ran(dbg, *args, "--range", f"{end // 2}:{end // 2 + 1000}")
    window = text[100:400]
    assert ran(dbg, "debruijn", "locate", "-n", "300", window)[0] == str(end // 2 + 100)


@pytest.mark.parametrize("file_format", ["bytes", "bits", "2bit", "npy"])
def test_formats(dbg, tmp_path, file_format):
    path = tmp_path / "out"
    ran(dbg, "debruijn", "-n", 4, "--format", file_format, "-o", path)
    data = path.read_bytes()
    expected = {
        "bytes": bytes(map(int, "0000100110101111")),
        "bits": bytes([0b00001001, 0b10101111]),
        "2bit": bytes([0b00000000, 0b01000001, 0b01000100, 0b01010101]),
    }
    if file_format == "npy":
        assert "".join(map(str, np.load(io.BytesIO(data)))) == "0000100110101111"
    else:
        assert data == expected[file_format]


@pytest.mark.parametrize("method", ["lyndon", "lfsr"])
def test_checksums_are_those_of_ranges_added_up(dbg, method):
    args = ("debruijn", "-n", "14", "--method", method, "--format", "checksum")
    whole = ran(dbg, *args)[0]
    assert len(whole) == 16
    assert whole != ran(dbg, *args, "--offset", "64")[0]


@pytest.mark.parametrize("method", RANKED_METHODS)
def test_windows_are_found_where_they_are(dbg, method):
    text, _ = ran(dbg, "debruijn", "--alphabet", "ACGT", "-n", "5", "--method", method)
    windows = windows_of(text, 5)
    args = ("--alphabet", "ACGT", "--method", method)
    found, _ = ran(dbg, "debruijn", "at", "-n", "5", *args, *range(0, 1024, 7))
    assert found.split() == windows[::7]
    found, _ = ran(dbg, "debruijn", "locate", *args, *windows[::5])
    assert [int(position) for position in found.split()] == list(range(0, 1024, 5))


def test_options_may_stand_before_the_name_of_a_command(dbg):
    assert ran(dbg, *PINS, "locate", "1234") == ran(dbg, "debruijn", "locate", "--alphabet", "10", "-n", "4", "1234")
    code, _, err = dbg(*PINS, "--format", "bits", "locate", "1234")
    assert code == 2
    assert "--format does not go with locate" in err


@pytest.mark.parametrize("method", METHODS)
def test_one_symbol_is_a_sequence_of_every_method(dbg, tmp_path, method):
    args = ("debruijn", "--alphabet", "a", "-n", 3, "-q")
    assert ran(dbg, *args, "--method", method)[0] == "a"
    assert ran(dbg, *args, "--method", method, "--linear")[0] == "aaa"
    assert ran(dbg, *args, "--method", method, "--length")[0] == "1"
    ran(dbg, *args, "--method", method, "--format", "bits", "-o", tmp_path / "bits")
    assert (tmp_path / "bits").read_bytes() == b"\0"


def test_one_symbol_in_queries_and_variations(dbg, tmp_path):
    one = ("--alphabet", 1, "-n", 70)
    assert ran(dbg, "debruijn", "at", *one, 0)[0] == "0" * 70
    assert ran(dbg, "debruijn", "locate", "--alphabet", 1, "000")[0] == "0"
    for n, n_lyndon_words in ((1, 1), (2, 0), (70, 0)):
        counts = ran(dbg, "debruijn", "count", "--alphabet", 1, "-n", n)[0].split()
        assert counts[1::2] == ["1", "1", "1", str(n_lyndon_words)]
    path = tmp_path / "one"
    path.write_text("0\n")
    assert ran(dbg, "debruijn", "verify", path, "-n", 70)[0].startswith("yes: each of the 1 words")
    assert dbg("debruijn", "verify", path)[0] == 64
    assert dbg("debruijn", "verify", path, "--alphabet", "1")[0] == 2
    path.write_text("00\n")
    assert dbg("debruijn", "verify", path, "-n", 2)[0] == 64
    assert ran(dbg, "debruijn", "verify", path, "-n", 2, "--linear")[0].startswith("yes")
    for variation in (("--cut-down", 1), ("--max-run", 9), ("--forbid", "")):
        assert ran(dbg, "debruijn", "--alphabet", 1, "-n", 3, "-q", *variation)[0] == "0"
    path.write_text("aaa\n")
    assert ran(dbg, "debruijn", "--alphabet", "a", "--words", path, "-q")[0] == "a"
    assert dbg("debruijn", "--alphabet", 1, "-n", 3, "--max-run", 2)[0] == 2


@pytest.mark.parametrize(
    ("k", "n"),
    [
        (1, 1),
        (1, 3),
        (2, 1),
        (2, 2),
        (2, 3),
        (2, 4),
        (2, 5),
        (3, 1),
        (3, 2),
        pytest.param(4, 2, marks=pytest.mark.slow),
    ],
)
def test_all_sequences_are_as_many_as_the_formula_says(dbg, k, n):
    lines = ran(dbg, "debruijn", "--alphabet", k, "-n", n, "--all", "-q")[0].split("\n")
    assert len(set(lines)) == len(lines) == math.factorial(k) ** (k ** (n - 1)) // k**n
    assert lines == sorted(lines)
    assert all(line.startswith("0" * min(n, k**n)) for line in lines)
    for line in lines[:: max(1, len(lines) // 50)]:
        assert len(line) == k**n
        assert len({tuple((line * n)[i : i + n]) for i in range(k**n)}) == k**n
    assert lines[0] == ran(dbg, "debruijn", "--alphabet", k, "-n", n, "-q")[0]


def test_all_sequences_in_other_alphabets_and_forms(dbg, tmp_path):
    args = ("debruijn", "--alphabet", "a,bb", "-n", 3, "--all")
    out, err = ran(dbg, *args)
    assert out == "a a a bb a bb bb bb\na a a bb bb bb a bb"
    assert err == "[dbg] cyclic sequences of 8 symbols: 2\n"
    assert ran(dbg, *args, "--linear", "--limit", 1)[0] == "a a a bb a bb bb bb a a"
    assert ran(dbg, *args[:4], 12, "--all", "--limit", 2, "-q", "-o", tmp_path / "two.txt.gz")[0] == ""
    with gzip.open(tmp_path / "two.txt.gz", "rt") as file:
        assert [len(line.split()) for line in file] == [1 << 12] * 2


def test_shift_registers_are_exported(dbg, tmp_path):
    taps, err = ran(dbg, "debruijn", "-n", 3, "--export", "taps")
    assert (taps.splitlines()[-2:], err) == (["1\t2\t3\t0\t1\t1\t1", "1\t2\t3\t1\t1\t1\t1"], "")
    assert ran(dbg, "debruijn", "-n", 3, "--export", "taps", "--method", "lfsr")[0] == taps
    args = ("debruijn", "--alphabet", "red,green,blue", "-n", 2)
    assert ran(dbg, *args, "--export", "verilog", "-o", tmp_path / "register.v")[0] == ""
    module = Module((tmp_path / "register.v").read_text())
    names = ("red", "green", "blue")
    symbols = " ".join(names[module.clock()] for _ in range(9))
    assert symbols == ran(dbg, *args, "--method", "lfsr", "-q")[0]
    assert '"red", "green", "blue"' in ran(dbg, *args, "--export", "c")[0]


@pytest.mark.process
def test_questions_from_standard_input():
    def run(*args, text):
        command = [sys.executable, "-m", "debruijn_gpu", "debruijn", *args]
        return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout

    windows = run("at", "--alphabet", "10", "-n", "4", text="5\n17\n\n9,999\n")
    assert run("locate", "--alphabet", "10", "-", text=windows) == "5\n17\n9999\n"


@pytest.mark.parametrize("method", ["lyndon", "crt"])
@pytest.mark.parametrize("file_format", ["text", "bytes"])
@pytest.mark.parametrize("shape", ["--cyclic", "--linear"])
def test_verified(dbg, tmp_path, method, file_format, shape):
    path = tmp_path / "pins"
    ran(dbg, *PINS, "--method", method, shape, "--format", file_format, "-o", path)
    out, _ = ran(dbg, "debruijn", "verify", path, "--alphabet", "10", "-n", "4", "--from", file_format, shape)
    assert "10,000" in out
    ran(dbg, "debruijn", "verify", path, "--alphabet", "10", "--from", file_format, shape)


def test_the_first_fault_is_shown(dbg, tmp_path):
    path = tmp_path / "pins"
    text, _ = ran(dbg, "debruijn", "-n", 8)
    path.write_text(text[:100] + text[101:] + text[100])
    code, out, err = dbg("debruijn", "verify", path)
    assert code == 64
    windows = windows_of(path.read_text(), 8)
    counts = Counter(windows)
    rows = [line.split("\t") for line in out.splitlines()]
    repeated = sorted(word for word, count in counts.items() if count > 1)
    missing = sorted({f"{i:08b}" for i in range(256)} - set(windows))
    assert [row[1] for row in rows] == repeated + missing
    for kind, word, *rest in rows:
        assert kind == ("repeated" if word in counts else "missing")
        if rest:
            assert int(rest[0]) == counts[word]
            assert [int(place) for place in rest[1].split(",")] == [i for i, w in enumerate(windows) if w == word]
    assert f"in all, {len(repeated)} words are repeated, and {len(missing)} missing\n" in err
    first = next(i for i, window in enumerate(windows) if window in windows[:i])
    assert f"{first}" in err
    assert windows[first] in err


def test_listed_faults_are_limited_and_counted(dbg, tmp_path):
    path = tmp_path / "zeros"
    path.write_text("0" * 64)
    args = ("debruijn", "verify", path, "--alphabet", 2, "-n", 6)
    code, out, err = dbg(*args, "--limit", 3)
    assert code == 64
    assert out == ("repeated\t000000\t64\t0,1,2,3,4,5,6,7,8,9\nmissing\t000001\nmissing\t000010\nmissing\t000011\n")
    assert "in all, 1 word is repeated, and 63 missing; --limit N lists more" in err
    assert len(dbg(*args, "--limit", "1k")[1].splitlines()) == 64
    assert len(dbg(*args)[1].splitlines()) == 31
    code, out, err = dbg(*args, "--limit", 0)
    assert (code, out) == (64, "")
    assert "63 words are missing" in err
    assert dbg(*args, "--limit", -1)[0] == 2


def test_faults_of_packed_symbols_and_long_names(dbg, tmp_path):
    path = tmp_path / "bits"
    path.write_bytes(bytes([0b00010110]))
    code, out, _ = dbg("debruijn", "verify", path, "--from", "bits", "-n", 3)
    assert code == 64
    windows = windows_of("00010110", 3)
    assert [line.split("\t")[1] for line in out.splitlines()] == sorted(
        word for word, count in Counter(windows).items() if count > 1
    ) + sorted({f"{i:03b}" for i in range(8)} - set(windows))
    path.write_text("red green red red")
    code, out, _ = dbg("debruijn", "verify", path, "--alphabet", "red,green", "-n", 2, "--linear")
    assert (code, out) == (64, "missing\tgreen green\n")


def test_counts(dbg):
    out, _ = ran(dbg, "debruijn", "count", "-n", "5")
    rows = dict(line.split("\t") for line in out.splitlines())
    assert rows["sequences"] == "2048"
    assert rows["necklaces"] == "8"
    assert rows["lyndon_words"] == "6"
    assert "symbols_of_each\tabout 10^(3.01e29)\n" in ran(dbg, "debruijn", "count", "-n", "1" + "0" * 30)[0]


def test_a_cut_down_cyclic_sequence(dbg):
    for alphabet, n, length in (("10", 3, 777), ("ACGT", 4, 100), ("6", 3, 200), ("2", 40, 1000)):
        text, _ = ran(dbg, "debruijn", "--alphabet", alphabet, "-n", n, "--cut-down", length)
        assert len(text) == length
        assert len(set(windows_of(text, n))) == length


def test_both_strands(dbg):
    text, _ = ran(dbg, "debruijn", "-n", 5, "--both-strands")
    assert len(text) == 512
    windows = set(windows_of(text, 5))
    assert len(windows | {w[::-1].translate(str.maketrans("ACGT", "TGCA")) for w in windows}) == 1024


def test_forbidden_words_and_runs(dbg):
    text, _ = ran(
        dbg, "debruijn", "--alphabet", "ACGT", "-n", 5, "--forbid", "GAATT,CG", "--forbid", "TTA", "--max-run", 2
    )
    around = text + text[:5]
    assert not any(word in around for word in ("GAATT", "CG", "TTA", "AAA", "CCC", "GGG", "TTT"))
    words = map("".join, itertools.product("ACGT", repeat=5))
    allowed = {w for w in words if not any(f in w for f in ("GAATT", "CG", "TTA", "AAA", "CCC", "GGG", "TTT"))}
    assert set(windows_of(text, 5)) == allowed


def test_a_list_of_words(dbg, tmp_path):
    path = tmp_path / "words"
    path.write_text("ABC\nBCA\nCAB\n")
    text, _ = ran(dbg, "debruijn", "--words", path)
    assert set(windows_of(text, 3)) == {"ABC", "BCA", "CAB"}
    assert len(text) == 3


def test_repeated_words_count_once_with_a_note_or_as_often_as_they_are_given(dbg, tmp_path):
    path = tmp_path / "words"
    path.write_text("00\n01\n10\n00\n00\n")
    code, text, err = dbg("debruijn", "--words", path)
    assert (code, text) == (0, "001\n")
    assert "2 of 5 words are repeats and are left out" in err
    code, text, err = dbg("debruijn", "--words", path, "--multiplicity")
    assert (code, text) == (0, "00100\n")
    assert "repeats" not in err
    assert sorted(windows_of(text.strip(), 2)) == ["00", "00", "00", "01", "10"]
    assert dbg("debruijn", "--words", path, "--multiplicity", "--linear")[1] == "001000\n"


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        ((), 2, "-n is missing"),
        (("--alphabet", "10"), 2, "-n is missing"),
        (("-n", "0"), 2, "-n is 0"),
        (("-n", "-3"), 2, "-n is -3"),
        (("-n", "x"), 2, "x"),
        (("-n", "4", "--export", "vhdl"), 2, "--export vhdl: no such language"),
        (("-n", "4", "--export", "c", "--method", "lyndon"), 2, "--method lyndon is no shift register"),
        (("-n", "4", "--export", "c", "--method", "lfsr", "--alphabet", "6"), 2, "not a power of a prime"),
        (("-n", "4", "--export", "c", "--alphabet", "1"), 2, "one symbol needs no register"),
        (("-n", "4", "--export", "c", "--all"), 2, "--export"),
        (("-n", "4", "--export", "c", "--range", "1:2"), 2, "--export"),
        (("-n", "4", "--export", "c", "--linear"), 2, "--export"),
        (("--export", "c"), 2, "-n is missing"),
        (("-n", "4", "--all", "--method", "euler"), 2, "--all"),
        (("-n", "4", "--all", "--length"), 2, "--all"),
        (("-n", "4", "--limit", "4"), 2, "--limit has no effect without --all"),
        (("-n", "60", "--all"), 137, "--all holds a graph of 2^60 edges"),
        (("-n", "34", "--all", "-m", "300M"), 137, "--all holds a graph of 2^34 edges"),
        (("--all",), 2, "-n is missing"),
        (("-n", "4", "--alphabet", ""), 2, "expected at least one symbol"),
        (("-n", "4", "--alphabet", "0"), 2, "expected at least one symbol"),
        (("-n", "4", "--alphabet", "-2"), 2, "-2 is not a number of symbols"),
        (("-n", "4", "--alphabet", "+3"), 2, "+3 is not a number of symbols"),
        (("-n", "4", "--alphabet", "1.5"), 2, "1.5 is not a number of symbols"),
        (("-n", "4", "--alphabet", "1e3"), 2, "1e3 is not a number of symbols"),
        (("count", "-n", "4", "--alphabet", "-2"), 2, "-2 is not a number of symbols"),
        (("locate", "--alphabet", "-2", "22"), 2, "-2 is not a number of symbols"),
        (("-n", "4", "--alphabet", "ACCT"), 2, "C is there twice"),
        (("-n", "4", "--method", "magic"), 2, "--method magic: no such method"),
        (("-n", "4", "--method", "lfsr", "--alphabet", "6"), 2, "crt"),
        (("-n", "60", "--method", "euler"), 137, "lyndon"),
        (("-n", "60", "--method", "random"), 137, "lyndon"),
        (("-n", "60", "--method", "prefer-same"), 137, "lyndon"),
        (("-n", "4", "--range", "5"), 2, "not a range"),
        (("-n", "4", "--range", "9:5"), 2, "ends before it starts"),
        (("-n", "4", "--range", "0:17"), 2, "--range goes to 17"),
        (("-n", "4", "--offset", "16"), 2, "--offset 16"),
        (("-n", "4", "--offset", "-1"), 2, "--offset -1: below 0"),
        (("-n", "4", "--format", "morse"), 2, "--format morse: no such format"),
        (("-n", "4", "--alphabet", "3", "--format", "bits"), 2, "--format bits is for up to 2 symbols"),
        (("-n", "4", "--cut-down", "0"), 2, "--cut-down is 0"),
        (("-n", "4", "--cut-down", "17"), 2, "16"),
        (("-n", "4", "--cut-down", "5", "--both-strands"), 2, "exclude each other"),
        (("-n", "4", "--cut-down", "5", "--method", "lfsr"), 2, "--method and --cut-down exclude each other"),
        (("-n", "4", "--both-strands", "--alphabet", "01"), 2, "ACGT"),
        (("-n", "4", "--max-run", "0"), 2, "--max-run is 0"),
        (("-n", "4", "--forbid", "2"), 67, "not in the alphabet"),
        (("--words", "missing"), 65, "missing"),
        (("-n", "4", "--seed", "-1", "--method", "random"), 2, "--seed is -1"),
        (("-n", "4", "-o", "/nowhere/out"), 66, "/nowhere/out"),
        (("-n", "4", "nonsense"), 2, "nonsense"),
        (("locate", "-n", "4", "010"), 67, "a window of 3 symbols, not 4"),
        (("locate", "0121"), 67, "symbol 3, '2'"),
        (("locate", "0101", "--method", "random"), 2, "lyndon, lfsr, crt"),
        (("at", "-n", "4", "16"), 67, "position 16 is beyond"),
        (("at", "-n", "4", "x"), 2, "position x: not a number"),
        (("at", "3"), 2, "-n is missing"),
        (("verify", "missing"), 65, "missing"),
        (("count",), 2, "-n is missing"),
        (("-n", "4", "--offset", "10^5000"), 2, "--offset about 10^4999: there are 16 symbols"),
        (("-n", "4", "--range", ":10^5000"), 2, "--range goes to about 10^4999"),
        (("-n", "4", "--range", f":{'9' * 5000}^99999"), 2, "is beyond all sequences"),
        (("-n", "4", "--alphabet", "9" * 5000), 2, "give 16,777,216 at most"),
        (("-n", "4", "--alphabet", "a\udcff"), 2, "not text in UTF-8"),
        (("-n", "100000", "--alphabet", "6", "--cut-down", "6^100000"), 137, "more than 2^80 bytes"),
        (("-n", "3000", "-q", "--range", "2^2999:"), 2, "too long to find a place in 2^3000"),
        (("at", "-n", "3000", "2^2999"), 2, "too long to find a place in 2^3000"),
        (("at", "-n", "9" * 30, "1"), 2, "give a length from 1 to 100000"),
    ],
)
def test_errors(dbg, args, code, message):
    found, out, err = dbg("debruijn", *args)
    assert (found, out) == (code, ""), err
    assert message in err
    assert "Traceback" not in err
    assert len(err.splitlines()) <= 3


def test_nothing_is_said_of_a_sequence_that_is_not_written(dbg):
    assert dbg("debruijn", "-n", 4, "--range", "17:")[2].startswith("dbg: --range goes to 17")


def test_positions_of_any_length_are_written(dbg):
    assert ran(dbg, "debruijn", "locate", "1" * 16384)[0] == digits_of(2**16384 - 16384)


@pytest.mark.parametrize("alphabet", ["><", "é☃😀", "a>,>"])
def test_symbols_of_all_kinds_are_verified(dbg, tmp_path, tune, alphabet):
    tune(symbol_block_bytes=13)  # within symbols
    ran(dbg, "debruijn", "--alphabet", alphabet, "-n", 4, "-o", tmp_path / "out")
    ran(dbg, "debruijn", "verify", tmp_path / "out", "--alphabet", alphabet, "-n", 4)


@pytest.mark.process
@pytest.mark.parametrize(
    ("redirection", "code", "message"),
    [
        ("locate <&-", 66, "standard input: Bad file descriptor"),
        ("locate < <(printf '0\\377')", 64, "standard input, line 1: not text in UTF-8"),
        ("locate < /dev/null", 0, ""),
        ("-n 4 --length >&-", 66, "standard output: is closed"),
        ("at -n 4 3 >&-", 66, "standard output: is closed"),
        ("count -n 4 > /dev/full", 66, "standard output: No space left"),
    ],
)
def test_streams_that_cannot_be_used(redirection, code, message):
    command = ["bash", "-c", f"{sys.executable} -m debruijn_gpu debruijn {redirection}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert "defect" not in done.stderr


@pytest.mark.process
def test_standard_input_is_kept_within_memory():
    dbg = f"{sys.executable} -m debruijn_gpu debruijn"
    command = ["bash", "-c", f"head -c 600000000 /dev/zero | {dbg} verify -n 3 -m 500M --alphabet 2 --from bytes"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 137, done.stderr
    assert "give a file" in done.stderr


@pytest.mark.process
def test_questions_in_any_locale():
    command = [sys.executable, "-m", "debruijn_gpu", "debruijn", "locate", "--alphabet", "é☃"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, input="é☃\n".encode(), capture_output=True, check=False, env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"1\n", b"")


@pytest.mark.process
@pytest.mark.parametrize("args", ["-n 60 --method grandmama --range 2^50:", "-n 31 --method random"])
def test_an_interrupt_is_heard_in_long_work(args):
    command = [sys.executable, "-m", "debruijn_gpu", "debruijn", "-v", *args.split()]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, stdout=subprocess.DEVNULL) as process:
        try:
            while used_s(process.pid) < 1:  # it computes, however long that takes to begin
                assert process.poll() is None
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 130
        finally:
            process.kill()


@pytest.mark.process
@pytest.mark.parametrize("method", ["lyndon", "lfsr", "grandmama"])
def test_a_reader_that_has_seen_enough(method):
    dbg = f"{sys.executable} -m debruijn_gpu debruijn -q -n 40 --method {method} --format bits"
    command = ["bash", "-c", f"set -o pipefail; {dbg} | head -c 1000 | wc -c"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr, done.returncode) == ("1000", "", 0)


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("10 4", "--alphabet 10 -n 4"),
        ("ACGT 3", "--alphabet ACGT -n 3"),
        ("red,green,blue 2", "--alphabet red,green,blue -n 2"),
        ("2 3 --linear", "--alphabet 2 -n 3 --linear"),
        ("--linear 2 3", "--alphabet 2 -n 3 --linear"),
        ("2 --seed 3 4 --method random", "--alphabet 2 -n 4 --method random --seed 3"),
        ("2 0.003k", "--alphabet 2 -n 3"),
        ("acgt 3", "--alphabet acgt -n 3"),
        ("atcg 2", "--alphabet atcg -n 2"),
    ],
)
def test_symbols_and_order_are_given_by_position(dbg, words, options):
    assert dbg("debruijn", *words.split()) == dbg("debruijn", *options.split())
    assert dbg("debruijn", *words.split())[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("10", "expected K and N, got 10"),
        ("10 4 2", "expected K and N, got 10 4 2"),
        ("10 x", "-n x: not a number"),
        ("10 4 -n 4", "-n is given twice"),
        ("10 4 --alphabet 3", "--alphabet is given twice"),
        ("locat 01", "did you mean 'dbg debruijn locate'?"),
        ("verfy 2", "did you mean 'dbg debruijn verify'?"),
        ("2 0", "-n is 0"),
        ("-- -2 4", "-2 is not a number of symbols"),
        ("help", "no such command"),
    ],
)
def test_other_words_are_no_symbols_and_order(dbg, arguments, message):
    code, out, err = dbg("debruijn", *arguments.split())
    assert (code, out) == (2, "")
    assert message in err


def test_commands_keep_their_names_and_take_options_before_them(dbg):
    assert dbg("debruijn", "--alphabet", 2, "-n", 3, "count") == dbg("debruijn", "count", "--alphabet", 2, "-n", 3)
    assert dbg("debruijn", "locate", "010")[0] == 0
    assert "[K N | COMMAND ...]" in dbg("debruijn", "--help")[1]
