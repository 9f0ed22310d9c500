"""Tables with text, headers and several files, compared with coreutils and awk."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.cli import main
from tests.helpers import n_examples

ENVIRONMENT = os.environ | {"LC_ALL": "C"}
EXAMPLES = settings(
    max_examples=n_examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

needs_coreutils = pytest.mark.skipif(
    not all(map(shutil.which, ("sort", "uniq", "join", "grep", "awk"))), reason="needs coreutils, grep and awk"
)

KMERS = "AAC\t3\nTTG\t10\nACG\t3\nAAC\t7\n"


@pytest.fixture
def dbg(capfdbinary: pytest.CaptureFixture[bytes]):
    """Exit code, standard output and standard error of `dbg`."""

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as caught:
            main(list(arguments))
        assert isinstance(caught.value.code, int)
        out, err = capfdbinary.readouterr()
        return caught.value.code, out.decode(), err.decode()

    return run


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def judged(*arguments: str) -> str:
    """Output of another program."""
    return subprocess.run(arguments, capture_output=True, check=False, env=ENVIRONMENT).stdout.decode()


WORDS = st.text("ACGTacz_.", min_size=1, max_size=12).filter(lambda word: word.lower() not in ("nan", "inf"))
LONG_WORDS = st.integers(0, 3).map(lambda n: "ACGT" * 8 + "ACGT"[n] * 9)
SMALL = st.integers(-9, 30).map(str) | st.sampled_from(["007", "1.50", "+4", "-0", "2.0", "0.5"])
ROWS = st.lists(st.tuples(WORDS | LONG_WORDS, SMALL, WORDS, SMALL), min_size=1, max_size=25)


def flags(draw, number: int) -> tuple[str, str]:
    """A key of a column in our list syntax and in that of coreutils."""
    reverse = draw(st.sampled_from(["", "r"]))
    return f"{number}{reverse}", f"-k{number},{number}{'' if number % 2 else 'n'}{reverse}"


@needs_coreutils
@EXAMPLES
@given(data=st.data(), rows=ROWS)
def test_sort_is_that_of_coreutils(dbg, here, data, rows):
    delimiter = data.draw(st.sampled_from(["\t", ",", ";", " "]))
    Path("table").write_text("".join(delimiter.join(row) + "\n" for row in rows))
    keys = [flags(data.draw, number) for number in data.draw(st.lists(st.integers(1, 4), min_size=1, unique=True))]
    # coreutils read neither "+4"
    Path("table").write_text(Path("table").read_text().replace("+4", "4"))
    unique = data.draw(st.sampled_from([[], ["-u"]]))
    expected = judged("sort", "-s", *unique, "-t", delimiter, *(key for _, key in keys), "table")
    assert dbg("sort", "--key", ",".join(key for key, _ in keys), *unique, "table") == (0, expected, "")
    given_keys = [part for _, key in keys for part in ("-k", key[2:])]
    assert dbg("sort", *given_keys, *unique, "table") == (0, expected, "")


@needs_coreutils
@EXAMPLES
@given(data=st.data(), rows=ROWS)
def test_keys_without_flags_take_those_of_the_command(dbg, here, data, rows):
    Path("table").write_text("".join("\t".join(row).replace("+", "") + "\n" for row in rows))
    columns = data.draw(st.lists(st.sampled_from(["2,2", "4,4", "2n,2", "4,4nr"]), min_size=1, max_size=3))
    options = data.draw(st.sampled_from([["-n"], ["-n", "-r"], ["-nru"], ["-n", "-u"]]))
    keys = [part for column in columns for part in ("-k", column)]
    expected = judged("sort", "-s", "-t", "\t", *options, *keys, "table")
    assert dbg("sort", *options, *keys, "table") == (0, expected, "")


@needs_coreutils
@EXAMPLES
@given(rows=st.lists(st.tuples(WORDS | LONG_WORDS, SMALL), min_size=1, max_size=25))
def test_distinct_is_uniq_of_sorted_words(dbg, here, rows):
    Path("table").write_text("".join(f"{word}\n" for word, _ in rows))
    counted = judged("sh", "-c", "sort table | uniq -c | awk '{print $2 \"\\t\" $1}'")
    assert dbg("distinct", "--count", "table") == (0, counted, "")
    assert dbg("distinct", "table") == (0, judged("sort", "-u", "table"), "")
    assert dbg("distinct", "--key", "1r", "table") == (0, judged("sort", "-ur", "table"), "")


@needs_coreutils
@EXAMPLES
@given(rows=ROWS, wanted=st.lists(WORDS | LONG_WORDS, max_size=10), known=st.integers(0, 10))
def test_join_is_that_of_coreutils_and_awk(dbg, here, rows, wanted, known):
    Path("table").write_text("".join("\t".join(row) + "\n" for row in rows))
    words = [*wanted, *(row[0] for row in rows[:known])]
    Path("keys").write_text("".join(f"{word}\n" for word in words))
    program = "NR == FNR {known[$1]; next} "
    matched = judged("awk", program + "$1 in known", "keys", "table") if words else ""
    others = judged("awk", program + "!($1 in known)", "keys", "table") if words else Path("table").read_text()
    assert dbg("join", "keys", "table") == (0, matched, "")
    assert dbg("join", "keys", "table", "--unmatched") == (0, others, "")
    by_join = judged("bash", "-c", "join -t $'\\t' -v 2 <(sort -u keys) <(sort -s -k1,1 table)")
    assert sorted(others.splitlines()) == sorted(by_join.splitlines())


@needs_coreutils
@EXAMPLES
@given(rows=ROWS, condition=st.sampled_from([">", ">=", "<", "<=", "==", "!="]), threshold=st.integers(-9, 30))
def test_filter_is_that_of_awk(dbg, here, rows, condition, threshold):
    Path("table").write_text("".join("\t".join(row) + "\n" for row in rows))
    expected = judged("awk", f"$2 {condition} {threshold}", "table")
    assert dbg("filter", f"{condition}{threshold}", "--key", "2", "table") == (0, expected, "")
    assert dbg("compact", "--where", f"{condition}{threshold}", "-k", "2", "table") == (0, expected, "")
    expected = judged("awk", f"$4 >= {threshold} && $4 <= {threshold + 5}", "table")
    assert dbg("filter", f"--where={threshold}:{threshold + 5}", "-k", "4,4n", "table") == (0, expected, "")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("sort", "AAC\t3\nAAC\t7\nACG\t3\nTTG\t10\n"),
        ("sort --key 2r", "TTG\t10\nAAC\t7\nAAC\t3\nACG\t3\n"),
        ("sort --key 2r,1r", "TTG\t10\nAAC\t7\nACG\t3\nAAC\t3\n"),
        ("sort --key 2t", "TTG\t10\nAAC\t3\nACG\t3\nAAC\t7\n"),
        ("sort -u", "AAC\t3\nACG\t3\nTTG\t10\n"),
        ("sort --key 2 --fields 2,1", "3\tAAC\n3\tACG\n7\tAAC\n10\tTTG\n"),
        ("sort --format csv", "AAC,3\nAAC,7\nACG,3\nTTG,10\n"),
        ("sort -o -", "AAC\t3\nAAC\t7\nACG\t3\nTTG\t10\n"),
        ("distinct --count", "AAC\t3\t2\nACG\t3\t1\nTTG\t10\t1\n"),
        ("distinct --count --fields 3,1", "2\tAAC\n1\tACG\n1\tTTG\n"),
        ("distinct --count --fields 1", "AAC\t2\nACG\t1\nTTG\t1\n"),
        ("distinct --count --fields 2,1", "3\tAAC\t2\n3\tACG\t1\n10\tTTG\t1\n"),
        ("distinct --key 2 --count", "AAC\t3\t2\nAAC\t7\t1\nTTG\t10\t1\n"),
        ("distinct --key 1,2", "AAC\t3\nAAC\t7\nACG\t3\nTTG\t10\n"),
        ("filter 4: --key 2", "TTG\t10\nAAC\t7\n"),
        ("filter nonzero --key 2 --fields 1", "AAC\nTTG\nACG\nAAC\n"),
        ("filter --indices >5 -k 2", "1\n3\n"),
        ("histogram --key 2 --integers --range 2,4", "2\t0\n3\t2\n4\t0\n"),
        ("join keys", "AAC\t3\nAAC\t7\n"),
        ("join keys --unmatched", "TTG\t10\nACG\t3\n"),
    ],
)
def test_text_is_carried_along(dbg, here, arguments, expected):
    Path("keys").write_text("CCC\nAAC\nA\n")
    Path("table").write_text(KMERS)
    for threads in ("1", "3"):
        assert dbg(*arguments.split(), "table", "-t", threads) == (0, expected, "")
    Path("table").write_bytes(gzip.compress(KMERS.replace("\n", "\r\n").encode()))
    assert dbg(*arguments.split(), "table") == (0, expected, "")
    with open("table", "w") as table:
        table.write("# k-mers\n\n" + KMERS.replace("ACG", "\t\n#ACG\nACG").rstrip())
    assert dbg(*arguments.split(), "table") == (0, expected, "")


@pytest.mark.parametrize(
    ("text", "arguments", "expected"),
    [
        ("Homo sapiens\t5\nMus musculus\t3\n", "--key 2", "Mus musculus\t3\nHomo sapiens\t5\n"),
        ("a;1,5;2\nb;;1\n", "--key 3", "b;;1\na;1,5;2\n"),
        ("      2 b\n     10 a\n", "--key 2", "     10 a\n      2 b\n"),
        ("      2 b\n     10 a\n", "--key 1r --fields 2,1", "a 10\nb 2\n"),
        ("chr1\t20\tID=1;N=a,b\nchr1\t3\tID=2\n", "--key 1,2", "chr1\t3\tID=2\nchr1\t20\tID=1;N=a,b\n"),
        ("1 5\nX 2\n", "--key 2", "X 2\n1 5\n"),
        ("10 5\n9 2\nX 2\n", "--key 1t", "10 5\n9 2\nX 2\n"),
        ("1;3\n1;2\n", "--key 2", "1;2\n1;3\n"),
        ("é,2\nz,1\n", "", "z,1\né,2\n"),
        ("b\na\n", "", "a\nb\n"),
        ("x\t1\n\t2\n", "--key 1", "\t2\nx\t1\n"),
        ("007 1\n7 x\n+7 2\n", "--key 1", "007 1\n7 x\n+7 2\n"),
        ("18446744073709551616 1\n5 2\n", "--key 2r", "5 2\n18446744073709551616 1\n"),
        ("12345678901234567890,1\n-1,2\n", "--key 2r", "-1,2\n12345678901234567890,1\n"),
        ("2 9007199254740993\n1 0.5\n", "", "1 0.5\n2 9007199254740993\n"),
        ("2\t1e400\n1\t5\n", "--fields 2,1", "5\t1\n1e400\t2\n"),
    ],
)
def test_delimiters(dbg, here, text, arguments, expected):
    Path("table").write_text(text)
    assert dbg("sort", *arguments.split(), "table") == (0, expected, "")


@pytest.mark.parametrize("n", [10, 100_000])
def test_a_table_may_turn_out_to_have_text(dbg, here, n):
    rows = [f"{i * 7919 % 1009:03}\t{i}" for i in range(n)]
    lines = [*rows, "5\tfive", *rows]
    Path("table").write_text("# numbers\n" + "".join(f"{line}\n" for line in lines))
    expected = "".join(f"{line}\n" for line in sorted(lines, key=lambda line: int(line.split()[0])))
    assert dbg("sort", "table", "-m", "300M") == (0, expected, "")
    few = [line.split() for line in lines if int(line.split()[0]) < 10]
    expected = "".join(f"{second},{first}\n" for first, second in few)
    assert dbg("filter", "<10", "table", "--fields", "2,1", "--format", "csv") == (0, expected, "")
    code, _out, err = dbg("sort", "--key", "2", "table")
    assert code == 64
    assert err.startswith(f"dbg: table: line {n + 2:,}: 'five' is not a number\n")


def test_several_files_are_one_table(dbg, here):
    Path("a").write_text("3 x\n1 y\n")
    Path("b").write_text("2 z\n")
    Path("c").write_text("# nothing\n")
    Path("empty").write_text("")
    assert dbg("sort", "a", "empty", "b", "c") == (0, "1 y\n2 z\n3 x\n", "")
    assert dbg("sort", "empty", "c", "b", "a", "--fields", "2") == (0, "y\nz\nx\n", "")
    assert dbg("distinct", "a", "a", "--count") == (0, "1 y 2\n3 x 2\n", "")
    assert dbg("filter", ">1", "a", "b") == (0, "3 x\n2 z\n", "")
    assert dbg("histogram", "--integers", "a", "b") == (0, "1 1\n2 1\n3 1\n", "")
    assert dbg("join", "b", "a", "b", "a") == (0, "2 z\n", "")
    Path("numbers").write_text("0.5,7\n007,8\n")
    Path("more").write_text("5\t6\n")
    assert dbg("sort", "numbers", "more") == (0, "0.5,7\n5\t6\n007,8\n", "")
    assert dbg("sort", "more", "numbers") == (0, "0.5,7\n5\t6\n007,8\n", "")
    assert dbg("sort", "more", "numbers", "a")[0] == 64  # text between blanks, after numbers between tabs
    Path("tabs").write_text("3\tx y\n")
    assert dbg("sort", "more", "tabs") == (0, "3\tx y\n5\t6\n", "")
    for name in ("a.npy", "b.npy"):
        assert dbg("sort", "more", "numbers", "-o", name)[0] == 0
    assert dbg("sort", "a.npy", "b.npy", "-u", "--format", "text") == (0, "0.5\t7.0\n5.0\t6.0\n7.0\t8.0\n", "")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["one", "two"], "two: line 1: 2 columns, but 1 in one: line 1"),
        (["two", "one"], "one: line 1: 1 column, but 2 in two: line 1"),
        (["text", "one"], "one: line 1: 1 column, but 2 in text: line 2"),
        (["one", "bad"], "bad: line 2: 'x' is not a number"),
        (["one", "missing"], "missing: No such file"),
        (["one", "one.npy"], "both text and .npy"),
        (["one.npy", "one"], "both text and .npy"),
        (["-", "-"], "standard input is named twice"),
        (["big", "half"], "big: line 2: an integer above 2^53 in column 1"),
    ],
)
def test_errors_name_the_file(dbg, here, names, message):
    for name, text in {
        "one": "1\n",
        "two": "1 2\n",
        "text": "# c\nx 2\n",
        "bad": "1\nx\n",
        "big": "1\n9007199254740993\n",
        "half": "0.5\n",
    }.items():
        Path(name).write_text(text)
    assert dbg("sort", "one", "-o", "one.npy")[0] == 0
    code, out, err = dbg("sort", *names)
    assert (code in (2, 64, 65), out) == (True, "")
    assert message in err


HEADED = "kmer\tcount\nTTG\t10\nAAC\t3\n"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("sort --key 2", "kmer\tcount\nAAC\t3\nTTG\t10\n"),
        ("sort", "kmer\tcount\nAAC\t3\nTTG\t10\n"),
        ("sort --fields 2,1", "count\tkmer\n3\tAAC\n10\tTTG\n"),
        ("sort --format csv", "kmer,count\nAAC,3\nTTG,10\n"),
        ("sort --key 2 --fields 2 --format npy -o x.npy", ""),
        ("distinct --count", "kmer\tcount\tcount\nAAC\t3\t1\nTTG\t10\t1\n"),
        ("distinct --count --fields 1", "kmer\tcount\nAAC\t1\nTTG\t1\n"),
        ("filter >5 --key 2", "kmer\tcount\nTTG\t10\n"),
        ("filter >50 --key 2", "kmer\tcount\n"),
        ("filter >5 --key 2 --indices", "index\n0\n"),
        ("histogram --key 2 --bins 1 --range 0,20", "low\thigh\tcount\n0.0\t20.0\t2\n"),
        ("histogram --key 2 --integers --range 3,3", "integer\tcount\n3\t1\n"),
        ("join keys", "kmer\tcount\nTTG\t10\n"),
        ("join headed_keys --unmatched", "kmer\tcount\nAAC\t3\n"),
    ],
)
def test_headers(dbg, here, arguments, expected):
    Path("keys").write_text("TTG\n")
    Path("headed_keys").write_text("kmer\nTTG\n")
    Path("table").write_text(HEADED)
    Path("empty").write_text("")
    Path("rest").write_text("kmer\tcount\r\n")
    assert dbg(*arguments.split(), "--header", "table") == (0, expected, "")
    assert dbg(*arguments.split(), "--header", "empty", "table", "rest") == (0, expected, "")
    for small in ("empty", "rest"):
        assert dbg(*arguments.split(), "--header", small)[0] == 0


def test_a_key_may_change_from_text_to_numbers_behind_a_header(dbg, here):
    Path("table").write_text("chrom n\nX 5\n10 4\n9 6\n")
    Path("keys").write_text("X\n9\n")
    assert dbg("sort", "--header", "table") == (0, "chrom n\n10 4\n9 6\nX 5\n", "")
    assert dbg("distinct", "--header", "--key", "1r", "table") == (0, "chrom n\nX 5\n9 6\n10 4\n", "")
    assert dbg("join", "--header", "--key", "1t", "keys", "table") == (0, "chrom n\nX 5\n9 6\n", "")
    code, _out, err = dbg("sort", "table")
    assert (code, "line 1: 'n' is not a number" in err) == (64, True)


def test_the_header_is_written_as_it_is(dbg, here):
    Path("table").write_text("#chrom start,  'x'\n# comment\n2 1\n1 1\n")
    assert dbg("sort", "--header", "table") == (0, "#chrom start,  'x'\n1 1\n2 1\n", "")
    Path("numbers").write_text("id,n\n2,1\n1,1\n")
    Path("ids").write_text("id\n2\n")
    assert dbg("sort", "--header", "numbers") == (0, "id,n\n1,1\n2,1\n", "")
    assert dbg("join", "--header", "ids", "numbers") == (0, "id,n\n2,1\n", "")
    assert dbg("sort", "--header", "--fields", "2", "numbers") == (0, "n\n1\n1\n", "")
    assert dbg("sort", "--header", "--fields", "2", "table") == (0, "  'x'\n1\n1\n", "")
    Path("table").write_text("title\n2 1\n1 1\n")
    assert dbg("sort", "--header", "table") == (0, "title\n1 1\n2 1\n", "")
    code, out, err = dbg("sort", "--header", "--fields", "2", "table")
    assert (code, out) == (67, "")
    assert "not one name for each of 2 columns" in err


@pytest.mark.parametrize(
    ("text", "arguments", "message", "hint"),
    [
        (HEADED, "sort --key 2", "line 1: 'count' is not a number", "--header"),
        (HEADED, "sort", "line 1: 'count' is not a number", "--header"),
        (HEADED, "filter >5 --key 2", "line 1: 'count' is not a number", "--header"),
        ("n\n1\n", "sort", "line 1: 'n' is not a number", "--header"),
        ("n\n1\n", "histogram", "line 1: 'n' is not a number", "--header"),
        ("x 1\n2 3\n", "sort", "line 1: 'x' is not a number", "--key 1t"),
        ("n\nx\n3\n", "sort --header -n", "line 2: 'x' is not a number", "give numbers in column 1"),
        ("n\nx\n3\n", "filter 1: --header", "line 2: 'x' is not a number", "give numbers in column 1"),
        ("1\n2\nx\n", "sort", "line 3: 'x' is not a number", "--key 1t"),
        ("a 1\nb x\n", "sort -k 2", "line 2: 'x' is not a number", "--key 2t"),
        ("a\t1\nb\t\n", "sort -k 2", "line 2: '' is not a number", "--key 2t"),
        ("a\t1\nb\t \n", "sort -k 2", "line 2: ' ' is not a number", "--key 2t"),
        ("a\t1\nb\t#\n", "sort -k 2", "line 2: '#' is not a number", "--key 2t"),
        ("a\t1\nb\t1 2\n", "sort -k 2", "line 2: '1 2' is not a number", "--key 2t"),
        ("a\t1\n\nb\t1e999\n", "sort -k 2", "line 3: 1e999 is beyond the range", "inf"),
        ("a b\nc\n", "sort", "line 2: 1 column, but 2 in table: line 1", "delimiters"),
        ("a b\nc \x01\n", "sort", "line 2: a control character", "--dtype"),
        ("a b\n", "sort -n", "line 1: 'a' is not a number", "--header"),
        ("a b\n", "sort --key 3", "column 3 is asked for, but the input has 2", "counted from 1"),
        ("a b\n", "sort --fields 3", "column 3 is asked for, but the input has 2", "counted from 1"),
        ("a 1\n", "sort --key 2 --format npy", "line 1: 'a' is not a number", "--fields"),
        ("a 1\n", "sort --format npy", "column 1 is text", "--fields"),
        ("a,b\t1\n", "sort --format csv", "the text holds ','", "another format"),
        ("1,5;2\n", "sort", "both ',' and ';'", "decimal points"),
        ("1e400 1\n5 2\n", "sort", "line 1: 1e400 is beyond the range of floats", "up to 1.8e308"),
        ("5 2\n1e400 1\n", "sort --format npy", "line 2: 1e400 is beyond the range of floats", "up to 1.8e308"),
        ("1e400,3 1\n1,1 1\n", "sort --key 2", "line 1: 1e400 is beyond the range of floats", "up to 1.8e308"),
        ("1 18446744073709551616\n1,2\n", "sort", "line 1: an integer beyond 64 bits in column 2", "as a float"),
        ("1 2,3\nx 2,3\n", "sort --key 2", "several delimiters", "one delimiter"),
        ("1\t2\n1,2\nx\t3\n", "sort --key 2", "line 2: 1 column, but 2 in table: line 1", "same delimiters"),
        (HEADED, "join numbers", "line 1: 'kmer' is not a number", "--header"),
        ("AC 1\n", "join numbers", "line 1: 'AC' is not a number", "--key 1t"),
    ],
)
def test_errors(dbg, here, text, arguments, message, hint):
    Path("table").write_text(text)
    Path("numbers").write_text("1\n")
    code, out, err = dbg(*arguments.split(), "table")
    assert code in (64, 67)
    assert out == ""
    what, fix = err.splitlines()
    assert message in what
    assert hint in fix


def test_headers_that_differ_are_refused(dbg, here):
    Path("a").write_text("x y\n1 2\n")
    Path("b").write_text("y x\n1 2\n")
    code, out, err = dbg("sort", "--header", "a", "b")
    assert (code, out) == (64, "")
    assert err.startswith("dbg: b: line 1: another header than that of the first file: y x\n")
    assert dbg("sort", "a", "--header", "-o", "a.npy")[0] == 0
    assert dbg("sort", "a.npy", "--header")[::2] == (2, "dbg: a.npy: no header in .npy\n     leave it out\n")


def test_join_compares_as_text_what_keys_have_as_text(dbg, here):
    Path("keys").write_text("X\nY\n1\n")
    Path("table").write_text("1 a\n01 b\nX c\n")
    assert dbg("join", "keys", "table") == (0, "1 a\nX c\n", "")
    Path("numbers").write_text("1.0\n")
    assert dbg("join", "numbers", "--key", "1t", "table") == (0, "", "")
    Path("pairs").write_text("a,1\nc,X\n")
    assert dbg("join", "pairs", "table", "--key", "2t,1t") == (0, "1 a\nX c\n", "")
    assert dbg("join", "pairs", "table", "-k", "2t", "-k", "1,1t", "--unmatched") == (0, "01 b\n", "")


def test_join_names_the_key_of_input_where_keys_have_text(dbg, here):
    Path("table").write_text("x a\ny 10\n")
    for text, line in (("a\n10\n", 1), ("10\na\n", 2)):
        Path("keys").write_text(text)
        code, _out, err = dbg("join", "keys", "table", "--key", "2")
        assert (code, f"keys: line {line}: 'a' is not a number" in err, "--key 2t for text" in err) == (64, True, True)
    assert dbg("join", "keys", "table", "--key", "2t") == (0, "x a\ny 10\n", "")


@pytest.mark.parametrize("separator", [",", ";", "\\t", "\t", "tab"])
def test_a_separator_for_threads_is_explained(dbg, here, separator):
    code, out, err = dbg("sort", "-t", separator)
    assert (code, out) == (2, "")
    assert "-t is the number of threads" in err
    assert "columns are recognized" in err


def test_text_keys_are_logged_with_v_only(dbg, here):
    Path("table").write_text(KMERS)
    assert "column 1 is compared as text, bytewise" in dbg("sort", "-v", "table")[2]
    assert dbg("sort", "table")[2] == ""


def test_filter_is_compact(dbg, here):
    assert dbg("filter", "--help") == dbg("compact", "--help")
    code, out, err = dbg("filter")
    assert (code, out) == (2, "")
    assert "no condition" in err
    assert " filter " not in dbg("--help")[1].replace("(also: filter)", "")
    code, _out, err = dbg("join", "-", "a", "-")
    assert code == 2


def test_counts_of_kmers_are_sorted(dbg, here):
    Path("reads.fa").write_text(">a\nACGTTGCATTGACGTTGACG\n")
    assert dbg("count", "-k", "5", "--min-count", "1", "reads.fa", "-o", "counts.tsv", "-q")[0] == 0
    lines = Path("counts.tsv").read_text().splitlines()
    assert len(lines) > 5
    expected = sorted(lines, key=lambda line: -int(line.split()[1]))
    assert dbg("sort", "--key", "2r", "counts.tsv") == (0, "".join(f"{line}\n" for line in expected), "")


def test_a_lone_carriage_return_is_no_number(dbg, tmp_path):
    (tmp_path / "table.tsv").write_bytes(b"1\tx\n\r\ty\n2\tz\n")
    code, _out, err = dbg("distinct", str(tmp_path / "table.tsv"))
    assert code == 64
    assert "line 2: '\\r' is not a number" in err
