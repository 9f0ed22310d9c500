"""Contigs as notebooks show them."""

from __future__ import annotations

from html.parser import HTMLParser

from tests.assembly.examples import contigs_of, fork


class Rows(HTMLParser):
    """Texts of the cells of tables, row by row; every tag must be closed."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.open = [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if {"td", "th"} & set(self.open):
            self.rows[-1].append(data)


def test_a_row_for_each_contig():
    text = fork()._repr_html_()
    assert "4 contigs, 33 bp, largest 10, N50 10, k = 5" in text
    assert Rows(text).rows == [
        ["contig", "length", "k-mer depth", "circular", "links", "sequence"],
        ["1", "10", "2.17", "no", "2", "ACGTTGCATT"],
        ["2", "7", "2.00", "no", "1", "CATTAGG"],
        ["3", "6", "2.50", "no", "1", "TCAATG"],
        ["4", "10", "10.00", "yes", "0", "GACCTAGACC"],
    ]


def test_many_and_long_ones_are_cut_short():
    text = contigs_of([b"A" * 50 + b"<&>" + b"C" * 50] * 1012, k=3)._repr_html_()
    assert "and 1,002 more" in text
    rows = Rows(text).rows
    assert len(rows) == 11
    assert rows[1][-1] == "A" * 30 + "…" + "C" * 10


def test_what_is_no_sequence_is_no_markup():
    text = contigs_of([b"<script>alert()</script>\xff"], k=3)._repr_html_()
    assert "<script" not in text
    assert Rows(text).rows[1][-1] == "<script>alert()</script>\ufffd"


def test_no_contigs():
    assert contigs_of([], k=31)._repr_html_() == "<div><p>no contigs, k = 31</p></div>"
