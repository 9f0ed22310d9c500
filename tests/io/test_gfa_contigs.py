"""Graphs read back as contigs."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.gfa import write_gfa
from debruijn_gpu.io.gfa_contigs import read_gfa_contigs
from tests.contigs.examples import contigs_of, fork
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
        ("DP:f:.\tKC:i:8", 2),
        ("DP:f:-3", 0),
        ("DP:f:inf", 0),
        ("DP:f:1e400", 0),
        ("DP:f:1e99", 0),
        ("DP:f:1-2\tKC:i:99999999999999999999", 0),
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


@pytest.mark.parametrize(("tags", "length"), [("dp:f:1\tLN:i:12", 12), ("LN:i:" + "9" * 20, 0), ("LN:i:x", 0), ("", 0)])
def test_lengths_without_sequences(tmp_path, tags, length):
    (tmp_path / "x.gfa").write_text(f"S\ta\t*\t{tags}\nS\tb\t\n")
    found = read_gfa_contigs(str(tmp_path / "x.gfa"), needs_sequences=False)
    assert found.contigs.lengths.tolist() == [length, 0]


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


def test_circle_that_goes_elsewhere_too_is_none(tmp_path):
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


@pytest.mark.parametrize(
    "line",
    [
        "S\ta",
        "S\ta\t*",
        "S\ta\t",
        "H\tVN:Z:2.0\nS\ta\t4\tACGT",
        "L\ta\t+\tb\t+\t1M",
        "S\ta\tA\nL\ta\t?\ta\t+\t0M",
        "S\ta\tA\nL\ta\t+",
    ],
)
def test_what_cannot_be_read(tmp_path, line):
    with pytest.raises(FormatError):
        read(tmp_path, line + "\n")
