"""The table of file endings, and the choice of a format by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from debruijn_gpu.errors import UsageError
from debruijn_gpu.run.file_formats import (
    COMPRESSIONS,
    SEPARATORS,
    choose_format,
    compression_of,
    ending_of,
    formats_of,
    split_compression,
)


@pytest.mark.parametrize(
    ("path", "formats", "compression", "ending"),
    [
        ("x.fa", ("fasta",), None, ".fa"),
        ("a.b/x.FASTA.GZ", ("fasta",), "gz", ".FASTA.GZ"),
        ("x.fq.zst", ("fastq",), "zst", ".fq.zst"),
        ("x.gz", (), "gz", ".gz"),
        ("x.v1.gz", (), "gz", ".gz"),
        ("x.v1", (), None, ""),
        ("x", (), None, ""),
        ("a.gfa/x", (), None, ""),
        (".gfa", (), None, ""),
        (".gz", (), None, ""),
        ("x.", (), None, ""),
        ("..", (), None, ""),
        ("-", (), None, ""),
        ("x.gfa/", ("directory",), None, ""),
        ("x.txt", ("text", "histogram", "tsv"), None, ".txt"),
    ],
)
def test_endings_mean_formats_and_compressions(path, formats, compression, ending):
    assert formats_of(path) == formats
    assert compression_of(path) == compression
    assert ending_of(path) == ending
    assert "".join(split_compression(path)) == path


def test_format_that_is_given_wins_over_the_ending():
    assert choose_format("x.gfa", ("fasta", "gfa"), "fasta", "fasta", "--format") == "fasta"
    assert choose_format("x.png", ("fasta", "gfa"), "fasta", "gfa", "--format") == "gfa"


@pytest.mark.parametrize("output", [None, "-", "x", "x.v1", "/dev/stdout", "x.gz", Path("x.out")])
def test_default_is_written_where_no_ending_is_known(output):
    assert choose_format(output, ("fasta", "gfa"), "fasta") == "fasta"
    assert choose_format(output, ("fasta", "gfa"), "") == ""


def test_first_format_that_the_command_writes_is_taken():
    assert choose_format("x.txt", ("tsv", "npz"), "npz") == "tsv"
    assert choose_format("x.txt", ("text", "tsv"), "tsv") == "text"
    assert choose_format("x.bin.xz", ("text", "bytes"), "text") == "bytes"


def test_other_formats_are_refused_with_the_ones_that_can_be_written():
    with pytest.raises(UsageError) as caught:
        choose_format("x.GFA.gz", ("tsv", "npz"), "tsv", option="--format")
    assert caught.value.what == "-o x.GFA.gz: gfa by its ending, but this command writes tsv or npz"
    assert caught.value.fix == "let it end in .tsv or .npz, or give --format tsv|npz"
    with pytest.raises(UsageError, match="-o x/: a directory, but this command writes svg, png or pdf"):
        choose_format("x/", ("svg", "png", "pdf"), "svg")


def test_format_that_does_not_exist_is_refused():
    with pytest.raises(UsageError, match="--format gfa3: no such format"):
        choose_format("x.gfa", ("gfa",), "gfa", "gfa3", "--format")


def test_tables_use_names_of_one_kind():
    assert set(COMPRESSIONS) == {".gz", ".bz2", ".xz", ".zst"}
    assert all(len(separator) == 1 for separator in SEPARATORS.values())
