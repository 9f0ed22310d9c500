"""`dbg query` of indexes larger than memory, which are looked up part by part."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest

from debruijn_gpu.io.querying.index_files import read_samples
from debruijn_gpu.querying.colored_kmers import parts_of
from debruijn_gpu.run.options import RunOptions
from tests.helpers import random_sequence
from tests.naive.kmers import reverse_complement

BLOCK_BYTES = "debruijn_gpu.backends.reads.cpu.block_bytes"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Sets of k-mers of two genomes, and records of both, in several files."""
    place = tmp_path_factory.mktemp("query")
    rng = np.random.default_rng(3)
    shared = random_sequence(rng, 30_000)
    genomes = [random_sequence(rng, 40_000) + shared for _ in range(2)]
    for i, genome in enumerate(genomes):
        (place / f"s{i}.fa").write_text(f">x\n{genome}\n")
    for number in range(2):
        lines = []
        for i in range(300):
            start = int(rng.integers(69_000))
            record = genomes[i % 2][start : start + int(rng.integers(5, 400))]
            record = record[:40] + "N" * (i % 3 == 0) + record[40:]
            lines.append(f">{'' if i % 11 == 0 else f'r{i} more'}\n{record if i % 4 else reverse_complement(record)}\n")
        (place / f"q{number}.fa").write_text("".join(lines))
    return place


def outputs(dbg, index, *more):
    """Query in each way."""
    ways = (
        ("--min-ratio", "0.1", "--positions", "rle", "q0.fa", "q1.fa"),
        ("--format", "matrix", "q1.fa"),
        ("--format", "jsonl", "q0.fa", "q1.fa"),
        ("--per-file", "--min-ratio", "0", "q1.fa", "q0.fa"),
    )
    found = [dbg("query", index, *way, *more, "-q") for way in ways]
    assert [(code, err) for code, _out, err in found] == [(0, "")] * len(ways)
    return [out for _code, out, _err in found]


@pytest.mark.parametrize("k", [17, pytest.param(40, marks=pytest.mark.slow)])
@pytest.mark.parametrize("index", ["x.dbgc", "s0.dbgk,s1.dbgk", pytest.param("s1.dbgk", marks=pytest.mark.slow)])
def test_parts_of_an_index_change_nothing(dbg, place, monkeypatch, tune, tmp_path, index, k):
    monkeypatch.chdir(place)
    for name in ("s0", "s1"):
        assert dbg("count", "-k", k, f"{name}.fa", "-o", f"{name}.dbgk", "-q")[0] == 0
    assert dbg("color", "-k", k, "s0.fa", "s1.fa", "-o", "x.dbgc", "-q")[0] == 0
    expected = outputs(dbg, index)
    for n_parts, share, threads in ((2, 0.25, 1), (3, 0.0, 2), (1000, 1e-6, 2)):
        tune(query_parts=n_parts, query_share=share)
        assert outputs(dbg, index, "-t", threads, "--tmp-dir", tmp_path) == expected
        assert not list(tmp_path.iterdir())
    monkeypatch.setattr(BLOCK_BYTES, 3000)
    assert outputs(dbg, index, "-t", 2) == expected


@pytest.mark.parametrize("n_parts", [1, 2, 5, 10**6])
def test_parts_hold_each_kmer_once(dbg, place, monkeypatch, n_parts):
    monkeypatch.chdir(place)
    assert dbg("count", "-k", 17, "s0.fa", "-o", "whole.dbgk", "-q")[0] == 0
    colored = read_samples(["whole.dbgk"], RunOptions())
    parts = parts_of(colored, n_parts, 1)
    assert (len(parts) > 1) == (n_parts > 1)
    codes = []
    for part in parts:
        own = np.concatenate([codes for codes, _values in part.read(8)], axis=1)
        assert own.shape[1] == len(part)
        codes.append(own)
    assert (np.concatenate(codes, axis=1) == colored.kmers.read(0, 1 << 34)[0]).all()
    colored.kmers.close()


def test_pipes_are_read_once(dbg, place, monkeypatch, tune, tmp_path):
    monkeypatch.chdir(place)
    assert dbg("count", "-k", 17, "s0.fa", "-o", "s0.dbgk", "-q")[0] == 0
    expected = dbg("query", "s0.dbgk", "q0.fa", "-q")
    tune(query_parts=3)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes((place / "q0.fa").read_bytes()))
    writer.start()
    assert dbg("query", "s0.dbgk", pipe, "-q") == expected
    writer.join()


def test_faulty_records_are_reported_in_one_line(dbg, place, monkeypatch, tune):
    monkeypatch.chdir(place)
    (place / "bad.fq").write_text("@a\nACGT\n+\nII\n")
    assert dbg("count", "-k", 17, "s0.fa", "-o", "s0.dbgk", "-q")[0] == 0
    tune(query_parts=3)
    code, out, err = dbg("query", "s0.dbgk", "bad.fq", "-q")
    assert (code, out, err.count("\n")) == (64, "", 2)
