"""Sample sheets of GGCAT and kmtricks, and what is wrong with others."""

from __future__ import annotations

import gzip
import re

import pytest

from debruijn_gpu.errors import FormatError, InputNotFoundError, ParameterError
from debruijn_gpu.samples.sheet import Sample, is_sample_sheet, read_sample_sheet, read_samples


@pytest.fixture
def files(tmp_path):
    for name in ("a.fa", "b.fq", "c d.fa"):
        (tmp_path / name).write_text(">r\nACGT\n")
    return tmp_path


def parsed(files, text):
    sheet = files / "sheet.tsv"
    sheet.write_text(text)
    assert is_sample_sheet(str(sheet))
    return [
        (sample.name, [file.rpartition("/")[2] for file in sample.files], sample.min_count)
        for sample in read_sample_sheet(str(sheet))
    ]


@pytest.mark.parametrize(
    "text",
    [
        "x\ta.fa\ny\tb.fq,c d.fa\t3\n",
        "x : a.fa\ny : b.fq ; c d.fa ! 3\n",
        "x:a.fa\ny:b.fq;c d.fa!3",
        "\ufeff# samples\r\n\r\nx\ta.fa\r\ny : b.fq; c d.fa !3\r\n",
    ],
)
def test_both_forms_are_read(files, text):
    assert parsed(files, text) == [("x", ["a.fa"], None), ("y", ["b.fq", "c d.fa"], 3)]


@pytest.mark.parametrize("before", ["# samples\n", "\n\n", "\ufeff# samples\r\n\r\n"])
@pytest.mark.parametrize("line", ["x\tb.fq,a.fa\t3", "x : b.fq ; a.fa ! 3"])
def test_the_only_line_may_lack_its_end_behind_comments(files, before, line):
    assert parsed(files, before + line) == [("x", ["b.fq", "a.fa"], 3)]


def test_paths_are_relative_to_the_sheet(files, monkeypatch, tmp_path_factory):
    (files / "sheet").write_text(f"x\ta.fa\ny\t{files / 'b.fq'}\n")
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert [sample.files for sample in read_sample_sheet(str(files / "sheet"))] == [
        (str(files / "a.fa"),),
        (str(files / "b.fq"),),
    ]


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("x\ta.fa\nx\tb.fq\n", FormatError, "line 2: a second sample is called x; the first one is in line 1"),
        ("x\tmissing.fa\n", InputNotFoundError, "line 1: .*missing.fa: No such file"),
        ("x\ta.fa\nnothing here\n", FormatError, "line 2: expected a sample and its files"),
        ("x\ta.fa\t1\t2\n", FormatError, "line 1: expected a sample"),
        ("x\ta.fa\tmany\n", FormatError, "line 1: the minimum count is 'many'"),
        ("x : a.fa ! 0\n", FormatError, "line 1: the minimum count is '0'"),
        ("x : a.fa !\n", FormatError, "line 1: the minimum count is ''"),
        ("x\ta.fa,,b.fq\n", FormatError, "line 1: a name or a file is empty"),
        ("\ta.fa\n", FormatError, "line 1: a name or a file is empty"),
        ("x :\n", FormatError, "line 1: a name or a file is empty"),
        ("x\ta\0.fa\n", FormatError, "line 1: the name of a file holds a null byte"),
        ("a\x07b\ta.fa\n", FormatError, "unprintable"),
        ("# nothing\n\n", FormatError, "no samples"),
    ],
)
def test_faults_name_the_line(files, text, error, message):
    sheet = files / "sheet.tsv"
    sheet.write_text(text)
    with pytest.raises(error) as raised:
        read_sample_sheet(str(sheet))
    assert re.search(message, raised.value.what)


def test_other_files_are_no_sheets(files):
    contents = {
        "fasta": b">x\ty\nACGT\n",
        "fastq": b"@x\ty\nACGT\n+\nIIII\n",
        "lines": b"ACGT\nACGT\n",
        "kmers": b"ACGT\t3\n",
        "set": b"\x89DBGK\r\n\x1a\t:",
        "empty lines": b"\n\n",
    }
    for name, content in contents.items():
        (files / name).write_bytes(content)
        assert not is_sample_sheet(str(files / name)), name
    (files / "sheet.gz").write_bytes(gzip.compress(b"x\ta.fa\n"))
    assert is_sample_sheet(str(files / "sheet.gz"))


def test_files_are_called_without_directory_and_extension(files):
    (files / "s.tsv").write_text("x\ta.fa\n")
    found = read_samples([str(files / "b.fq"), str(files / "s.tsv")])
    assert found == [Sample("b", (str(files / "b.fq"),)), Sample("x", (str(files / "a.fa"),))]


def test_two_samples_of_one_name_are_refused(files):
    (files / "a.fq").write_text("@r\nACGT\n+\nIIII\n")
    with pytest.raises(ParameterError, match="two samples are called a"):
        read_samples([str(files / "a.fa"), str(files / "a.fq")])
