"""Lines of alignments: formatted by Python and by kernels, and merged."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.io.alignments.lines import interleaved
from tests.helpers import random_sequence


def lines(*texts):
    return np.cumsum([0, *map(len, texts)], dtype=np.int64), np.frombuffer(b"".join(texts), np.uint8)


def test_lines_of_mates_alternate():
    first, second = lines(b"a\n", b"", b"c\n"), lines(b"A\n", b"B\n")
    assert interleaved(first, second, 2).tobytes() == b"a\nA\nB\n"
    assert interleaved(first, second, 0).tobytes() == b""


@pytest.mark.parametrize("alignment_format", ["gaf", "paf"])
def test_few_and_many_lines_have_the_same_bytes(dbg, tmp_path, tune, alignment_format):
    rng = np.random.default_rng(1)
    contigs = [random_sequence(rng, 300) for _ in range(3)]
    (tmp_path / "c.fa").write_text("".join(f">c{i}\n{contig}\n" for i, contig in enumerate(contigs)))
    reads = [contig[at : at + 60] for contig in contigs for at in range(0, 240, 7)] + ["ACGT" * 20]
    names = ["", "r x", "r/1"] * len(reads)
    text = "".join(f">{name}\n{read}\n" for name, read in zip(names, reads, strict=False))
    (tmp_path / "r.fa").write_text(text)
    outputs = []
    for many_records in (1, 1000):
        tune(many_records=many_records)
        outputs.append(dbg("map", tmp_path / "r.fa", tmp_path / "c.fa", "--format", alignment_format)[1])
    assert outputs[0] == outputs[1]
    assert [line.split("\t")[0] for line in outputs[0].splitlines()[:4]] == ["sequence_1", "r", "r/1", "sequence_4"]
