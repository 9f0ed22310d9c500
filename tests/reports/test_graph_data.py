"""Graphs as data of pages."""

from __future__ import annotations

import json

import numpy as np

from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.reports.graph_data import unitig_data
from debruijn_gpu.reports.page import to_json
from tests.assembly.examples import contigs_of, fork


def test_unitigs_are_called_as_in_gfa():
    data = unitig_data(fork())
    assert json.loads(to_json(data)) == {
        "kind": "unitigs",
        "k": 5,
        "names": ["1", "2", "3", "4"],
        "lengths": [10, 7, 6, 10],
        "depths": [2.17, 2.0, 2.5, 10.0],
        "circular": [0, 0, 0, 1],
        "sequences": ["ACGTTGCATT", "CATTAGG", "TCAATG", "GACCTAGACC"],
        "links": [[0, 0, 1, 0], [0, 0, 2, 1]],
    }


def test_the_longest_are_kept_in_their_order_with_the_links_among_them():
    contigs = contigs_of(
        [b"ACGTA", b"ACGTACGT", b"ACG", b"ACGTACC", b"CCGTA"], 3, links=[(0, 2), (2, 7), (6, 4), (8, 1)]
    )
    data = unitig_data(contigs, ["a", "b", "c", "d", "e"], max_unitigs=3)
    assert data["names"] == ["a", "b", "d"]
    assert data["links"] == [[0, 0, 1, 0], [1, 0, 2, 1]]
    assert data["n_left_out"] == 2


def test_long_sequences_are_shortened():
    sixty, more = b"ACGTACGTAC" * 6, b"ACGTACGTAC" * 4 + b"G" + b"TTTTTTTTTT" * 2
    assert unitig_data(contigs_of([sixty, more], 3))["sequences"] == [
        sixty.decode(),
        "ACGTACGTAC" * 4 + "…" + "T" * 20,
    ]


def test_no_unitigs():
    data = unitig_data(contigs_of([], 31))
    assert (data["names"], data["links"], data["sequences"]) == ([], [], [])
    assert "n_left_out" not in data


def test_five_thousand_unitigs_are_little_data():
    rng = np.random.default_rng(1)
    n = 6000
    contigs = Contigs(
        k=31,
        text=np.frombuffer(b"ACGT", np.uint8)[rng.integers(0, 4, 100 * n)],
        offsets=np.arange(n + 1, dtype=np.int64) * 100,
        kmer_counts=rng.integers(0, 9000, n),
        n_kmers=np.full(n, 70),
        circular=np.zeros(n, np.bool_),
        links=rng.integers(0, 2 * n, (9000, 2)),
    )
    data = unitig_data(contigs)
    assert (len(data["names"]), data["n_left_out"]) == (5000, 1000)
    assert len(to_json(data)) < 1_000_000
