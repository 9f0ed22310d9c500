"""The table of contigs."""

from __future__ import annotations

import io

import numpy as np
import pytest

from debruijn_gpu.assembly_dir.contig_table import COLUMNS, read_contig_rows, single_copy_depth, write_contig_table
from tests.assembly.examples import contigs_of, fork
from tests.assembly.scaffold_examples import paths_of


def rows_of(contigs, links, paths=None):
    stream = io.BytesIO()
    write_contig_table(stream, contigs, links, 2.0, paths)
    return [line.split("\t") for line in stream.getvalue().decode().splitlines()]


def test_a_row_for_each_contig():
    rows = rows_of(fork(), fork().links)
    assert rows[0] == list(COLUMNS)
    assert rows[1] == ["contig_1", "10", "40.00", "2.17", "4.33", "1.00", "no", "2", "1"]
    assert rows[4] == ["contig_4", "10", "60.00", "10.00", "20.00", "4.62", "yes", "0", "0"]
    assert [row[-2:] for row in rows[1:]] == [["2", "1"], ["1", "1"], ["1", "1"], ["0", "0"]]


def test_links_to_contigs_that_are_not_reported_count():
    rows = rows_of(fork().first(2), fork().links)
    assert [row[-2:] for row in rows[1:]] == [["2", "1"], ["1", "1"]]


def test_contigs_that_are_no_unitigs_have_no_known_links():
    assert {tuple(row[-2:]) for row in rows_of(fork(), None)[1:]} == {("-", "-")}


def test_contigs_that_are_walks_have_the_links_at_their_ends():
    walks = paths_of("3- 2+ 1+", "1-", "2+ 3+")
    contigs = contigs_of([b"ACGTACGTACG", b"ACGTACG", b"ACGTA"], 5, circular=[2])
    links = [(0, 2), (0, 5)]  # the end of 1 to the starts of 2 and of 3 reversed
    rows = rows_of(contigs, np.array(links), walks)
    assert [row[-3:] for row in rows[1:]] == [["no", "3", "0"], ["no", "2", "1"], ["yes", "0", "0"]]


def test_no_contigs():
    assert rows_of(contigs_of([], 31), None) == [list(COLUMNS)]
    assert single_copy_depth(contigs_of([], 31)) is None


def test_single_copy_depth_is_that_of_half_of_the_sequence():
    """Neither a short plasmid nor many short repeats change it."""
    sequences = [b"ACGT" * 1000, b"ACGA" * 500, *[b"ACCA" * 20] * 40]
    depths = [30, 300, *[90] * 40]
    contigs = contigs_of(sequences, 31, [d * (len(s) - 30) for d, s in zip(depths, sequences, strict=True)])
    assert single_copy_depth(contigs) == 30
    assert [row[5] for row in rows_of(contigs, contigs.links)[1:4]] == ["1.00", "10.00", "3.00"]


def test_first_rows_are_read_by_name(tmp_path):
    path = tmp_path / "contigs.tsv"
    assert read_contig_rows(path, 5) == {}
    path.write_text("\n".join("\t".join(row) for row in rows_of(fork(), fork().links)))
    found = read_contig_rows(path, 2)
    assert list(found) == ["contig_1", "contig_2"]
    assert (found["contig_2"]["copy_number"], found["contig_2"]["links"]) == ("0.92", "1")


@pytest.mark.parametrize("text", ["", "a\tb\n1\t2\n", "\x00\xff", "name\n\ncontig_1"])
def test_other_tables_hold_no_columns(tmp_path, text):
    path = tmp_path / "contigs.tsv"
    path.write_text(text)
    assert all("links" not in row for row in read_contig_rows(path, 9).values())
