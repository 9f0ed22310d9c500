"""sort, distinct, compact, histogram and join through their entry point."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from debruijn_gpu.cli import main

NUMBERS = "3 1.5\n1 2\n# a comment\n3 -1\n2 nan\n"


@pytest.fixture
def numbers(tmp_path: Path) -> str:
    path = tmp_path / "numbers.txt"
    path.write_text(NUMBERS)
    return str(path)


@pytest.fixture
def dbg(capfd: pytest.CaptureFixture[str]):
    """Exit code, standard output and standard error of `dbg`."""

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as caught:
            main(list(arguments))
        assert isinstance(caught.value.code, int)
        return caught.value.code, *capfd.readouterr()

    return run


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["sort"], "1 2\n2 nan\n3 1.5\n3 -1\n"),
        (["sort", "--reverse"], "3 1.5\n3 -1\n2 nan\n1 2\n"),
        (["sort", "--key", "2"], "3 -1\n3 1.5\n1 2\n2 nan\n"),
        (["sort", "--key", "1r,2"], "3 -1\n3 1.5\n2 nan\n1 2\n"),
        (["sort", "--key", "2", "--reverse"], "2 nan\n1 2\n3 1.5\n3 -1\n"),
        (["sort", "--unique", "--fields", "1"], "1\n2\n3\n"),
        (["sort", "--fields", "2,1"], "2 1\nnan 2\n1.5 3\n-1 3\n"),
        (["distinct"], "1 2\n2 nan\n3 1.5\n"),
        (["distinct", "--count"], "1 2 1\n2 nan 1\n3 1.5 2\n"),
        (["compact", "--where", ">1.5"], "3 1.5\n3 -1\n2 nan\n"),
        (["compact", "--where", "< 2", "--key", "2"], "3 1.5\n3 -1\n"),
        (["compact", "--where", "!=3", "--indices"], "1\n3\n"),
        (["compact", "--where", "nonzero", "--indices"], "0\n1\n2\n3\n"),
        (["histogram", "--bins", "2", "--range", "0:4"], "0.0 2.0 1\n2.0 4.0 3\n"),
        (["histogram", "--integers"], "1 1\n2 1\n3 2\n"),
        (["histogram", "--integers", "--range", "2,4"], "2 1\n3 2\n4 0\n"),
    ],
)
def test_commands(dbg, numbers: str, arguments: list[str], expected: str) -> None:
    assert dbg(*arguments, numbers) == (0, expected, "")


def test_join(dbg, numbers: str, tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    keys.write_text("2.0\n7\n3e0\n1.5\n")
    assert dbg("join", str(keys), numbers) == (0, "3 1.5\n3 -1\n2 nan\n", "")
    assert dbg("join", str(keys), numbers, "--key", "2") == (0, "3 1.5\n1 2\n", "")
    keys.write_text("2,3\nnan,3\n1.5,3\n1.5,7\n")
    assert dbg("join", str(keys), numbers, "--key", "2,1") == (0, "3 1.5\n", "")
    keys.write_text("")
    assert dbg("join", str(keys), numbers) == (0, "", "")


# 7 in several spellings, and what sorts before and after it
SPELLED = "007\t1\n+5\t2\n7\t3\n1e1\t4\n7.0\t5\n-0\t6\n0.0\t7\n"


@pytest.mark.parametrize(
    ("arguments", "rows"),
    [
        (["sort"], "6 7 2 1 3 5 4"),
        (["sort", "--reverse"], "4 1 3 5 2 6 7"),
        (["sort", "--key", "1r,2r"], "4 5 3 1 2 7 6"),
        (["sort", "--key", "2"], "1 2 3 4 5 6 7"),
        (["sort", "--unique"], "6 2 1 4"),
        (["distinct"], "6 2 1 4"),
        (["distinct", "--key", "1r"], "4 1 2 6"),
        (["compact", "--where", "==7"], "1 3 5"),
        (["compact", "--where", "<6"], "2 6 7"),
        (["join", "KEYS"], "1 3 4 5"),
    ],
)
def test_records_are_written_as_they_were_read(dbg, tmp_path: Path, arguments: list[str], rows: str) -> None:
    lines = SPELLED.splitlines(keepends=True)
    keys, path = tmp_path / "keys", tmp_path / "numbers"
    keys.write_text("10\n7e0\n")
    path.write_text(SPELLED)
    given = [str(keys) if argument == "KEYS" else argument for argument in arguments]
    assert dbg(*given, str(path)) == (0, "".join(lines[int(row) - 1] for row in rows.split()), "")


@pytest.mark.process
def test_records_of_pipes_and_compressed_files_are_written_as_they_were_read(tmp_path: Path) -> None:
    path = tmp_path / "numbers.gz"
    text = "".join(f"{i:08}\n" for i in range(300_000, 0, -1))
    path.write_bytes(gzip.compress(text.encode(), 1))
    expected = "".join(sorted(text.splitlines(keepends=True)))
    for source, data in ((str(path), b""), ("-", text.encode())):
        process = piped(["sort", source, "-m", "400M"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.communicate(data) == (expected.encode(), b"")


@pytest.mark.parametrize(
    ("arguments", "text", "expected"),
    [
        (["distinct", "--count"], "+1\n1\n 2\n02\n1.0\n", "+1\t3\n 2\t2\n"),
        (["distinct"], "-0.0\n0.0\n", "-0.0\n"),
        (["distinct"], "nan\n-NaN\n", "nan\n"),
        (["sort"], "2,  3\r\n1 ,03\r\n", "1 ,03\n2,  3\n"),
        (["sort", "--fields", "2,1,2"], "2 ,  3\n1,03\n", "03,1,03\n3,2,3\n"),
        (["sort", "--fields", "2"], "2 ,  3\n1,03\n", "03\n3\n"),
        (["distinct", "--count", "--fields", "3,2"], "2 3.50\n1 7\n2 8\n", "1 7\n2 3.50\n"),
        (["sort"], "3\n1\n2.5\n", "1\n2.5\n3\n"),
        (["sort", "--format", "text"], "1e1\n3\n", "3\n1e1\n"),
        (["compact", "--where", ">1", "--indices"], "1e1\n03\n", "0\n1\n"),
        (["histogram", "--integers"], "+1\n01\n", "1\t2\n"),
    ],
)
def test_spelling_goes_with_all_options(dbg, tmp_path: Path, arguments: list[str], text: str, expected: str) -> None:
    path = tmp_path / "numbers"
    path.write_text(text)
    for more in ([], ["-t", "1"], ["-t", "3"]):
        assert dbg(*arguments, str(path), *more) == (0, expected, "")


@pytest.mark.parametrize("where", ["before", "after"])
def test_integers_beyond_floats_are_not_rounded(dbg, tmp_path: Path, where: str) -> None:
    whole, mixed, floats = tmp_path / "whole", tmp_path / "mixed", tmp_path / "floats"
    whole.write_text("9007199254740993\n9007199254740992\n1\n")
    floats.write_text("0.5\n9007199254740993.0\n")
    mixed.write_text({"before": "9007199254740993\n0.5\n"}.get(where, "0.5\n-9007199254740993\n"))
    line = 1 if where == "before" else 2
    message = f"line {line}: an integer above 2^53 in column 1, which also has floats"
    for arguments in (["sort"], ["distinct"], ["compact", "--where", ">0"], ["histogram"], ["join", str(whole)]):
        code, out, err = dbg(*arguments, str(mixed))
        assert (code, out) == (64, "")
        assert message in err
    assert message in dbg("join", str(mixed), str(whole))[2]
    for files in ((whole, floats), (floats, whole)):
        code, out, err = dbg("join", *map(str, files))
        assert (code, out) == (67, "")
        assert "column 1: 9007199254740993 is compared with floats" in err
    assert dbg("distinct", str(whole)) == (0, "1\n9007199254740992\n9007199254740993\n", "")
    assert dbg("join", str(whole), str(whole))[:2] == (0, whole.read_text())


def test_formats(dbg, numbers: str, tmp_path: Path) -> None:
    array, raw = tmp_path / "a.npy", tmp_path / "a.raw"
    assert dbg("sort", numbers, "--format", "npy", "-o", str(array))[0] == 0
    np.testing.assert_array_equal(np.load(array), [[1, 2], [2, np.nan], [3, 1.5], [3, -1]])
    assert dbg("compact", str(array), "--where", "==3", "-o", str(raw), "--format", "raw") == (0, "", "")
    assert raw.read_bytes() == np.array([3, 1.5, 3, -1.0]).tobytes()
    assert dbg("sort", str(raw), "--dtype", "f64", "--columns", "2", "--key", "2", "--format", "text") == (
        0,
        "3.0\t-1.0\n3.0\t1.5\n",
        "",
    )


def test_equal_floats_of_one_column_are_written_as_one(dbg, tmp_path: Path) -> None:
    np.save(tmp_path / "one.npy", np.array([-0.0, np.nan, -np.nan, 0.0]))
    np.save(tmp_path / "two.npy", np.array([[-0.0, 1.0], [0.0, 2.0]]))
    for command, expected in (("sort", "0.0\n0.0\nnan\nnan\n"), ("distinct", "0.0\nnan\n")):
        assert dbg(command, str(tmp_path / "one.npy"), "--format", "text") == (0, expected, "")
    assert dbg("sort", str(tmp_path / "two.npy"), "--format", "text") == (0, "-0.0\t1.0\n0.0\t2.0\n", "")


def test_steps_are_timed(dbg, numbers: str) -> None:
    code, _out, log = dbg("sort", numbers, "-v")
    assert code == 0
    steps = [line.split("]")[1].split(":")[0].strip() for line in log.splitlines() if "compiling (" not in line]
    assert steps == ["read", "backend", "to device", "sort", "back", "write"]


@pytest.mark.parametrize("command", ["sort", "distinct", "histogram", "join"])
def test_empty_input(dbg, tmp_path: Path, command: str) -> None:
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    arguments = [str(empty)] * 2 if command == "join" else [str(empty)]
    assert dbg(command, *arguments) == (0, "", "")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["sort", "--key", "3"], 67, "column 3 is asked for, but the input has 2 columns"),
        (["sort", "--fields", "3"], 67, "column 3 is asked for"),
        (["sort", "--fields", "x"], 2, "not a list of columns"),
        (["sort", "--key", "0"], 2, "'0' is not a column"),
        (["sort", "--key", "1,a"], 2, "'a' is not a column"),
        (["sort", "--dtype", "u16"], 2, "choose one of u32, i32"),
        (["sort", "--format", "json"], 2, "choose one of text, tsv, csv, npy, raw"),
        (["sort", "--columns", "2"], 2, "--columns has no effect without --dtype"),
        (["sort", "--dtype", "u32", "--columns", "0"], 2, "--columns is 0"),
        (["sort", "--dtype", "u64"], 64, "33 bytes are no whole number of records of 8"),
        (["compact", "--where", "=5"], 2, "not a condition"),
        (["compact", "--where", ">x"], 2, "not a condition"),
        (["compact", "--where", "==nan"], 2, "not a condition"),
        (["compact", "--where", ">1_0"], 2, "not a condition"),
        (["compact", "--where", ">1e400"], 2, "not a condition"),
        (["compact", "--where", ">" + "9" * 5000], 2, "not a condition"),
        (["sort", "--key", "9" * 5000], 2, "'9999999999999999999999999999999999999999...' is not a column"),
        (["compact", "--where", ">1", "--key", "9" * 5000], 2, "is not a column"),
        (["sort", "--fields", "1," + "9" * 5000], 2, "not a list of columns"),
        (["histogram", "--range", "0," + "9" * 5000], 2, "not two numbers"),
        (["histogram", "--bins", "9" * 20], 2, "--bins is 99999999999999999999"),
        (["sort", "--dtype", "u32", "--columns", "9" * 20], 2, "--columns is 99999999999999999999"),
        (["compact", "--where", ">1", "--key", "1,2"], 2, "takes one column"),
        (["compact"], 2, "--where"),
        (["histogram", "--bins", "0"], 2, "--bins is 0"),
        (["histogram", "--range", "1"], 2, "not two numbers"),
        (["histogram", "--range", "2:1"], 2, "--range is 2:1"),
        (["histogram", "--range", "0:inf"], 2, "finite"),
        (["histogram", "--key", "2", "--integers"], 67, "fractions"),
        (["join", "-", "-"], 2, "cannot be both"),
        (["join", "/no/such/file"], 65, "No such file"),
        (["sort", "-m", "1M"], 137, "Out of memory"),
    ],
)
def test_errors(dbg, numbers: str, arguments: list[str], code: int, message: str) -> None:
    given = arguments if arguments == ["join", "-", "-"] else [*arguments, numbers]
    found, out, err = dbg(*given)
    assert (found, out) == (code, "")
    assert message in err


def test_what_is_no_number(dbg, tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_text("1\n2\nabc\n")
    code, out, err = dbg("sort", str(path))
    assert (code, out) == (64, "")
    assert err.startswith(f"dbg: {path}: line 3: 'abc' is not a number\n")


def piped(arguments: list[str], **options) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "debruijn_gpu", *arguments], stderr=subprocess.PIPE, **options)


@pytest.mark.process
def test_reader_that_has_seen_enough(tmp_path: Path) -> None:
    path = tmp_path / "many.txt"
    path.write_bytes(b"".join(b"%d\n" % i for i in range(1_000_000, 0, -1)))
    process = piped(["sort", str(path)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.read(4) == b"1\n2\n"
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


@pytest.mark.process
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [[], ["-o", "/dev/full"]])
def test_full_disk(numbers: str, arguments: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        process = piped(["sort", numbers, *arguments], stdout=full)
        assert b"No space left on device" in process.communicate()[1]
    assert process.returncode == 66


@pytest.mark.process
def test_standard_input() -> None:
    process = piped(["distinct", "--count", "--format", "npy"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    out, err = process.communicate(b"5\n7\n5\n")
    assert (process.returncode, err) == (0, b"")
    assert np.load(io.BytesIO(out)).tolist() == [[5, 2], [7, 1]]


def test_threads_change_nothing(dbg, tmp_path: Path) -> None:
    path = tmp_path / "many.npy"
    np.save(path, np.random.default_rng(1).integers(0, 1000, (100_000, 2)))
    results = [dbg("sort", str(path), "--format", "text", "-t", threads) for threads in ("1", "2", "3")]
    assert results[0][0] == 0
    assert results[0] == results[1] == results[2]


@pytest.mark.process
@pytest.mark.parametrize(("to", "expected"), [("tsv", b"3\t2.50\n007\t1e0\n"), ("csv", b"3,2.50\n007,1e0\n")])
def test_words_stay_when_the_separator_changes(tmp_path, to, expected):
    path = tmp_path / "x.txt"
    path.write_text("007 1e0\n3 2.50\n")
    done = subprocess.run(
        [sys.executable, "-m", "debruijn_gpu", "sort", "--format", to, path], capture_output=True, check=True
    )
    assert done.stdout == expected
