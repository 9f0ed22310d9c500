"""Structural variants of a population: contigs have the usual allele, and `variants.tsv` the other one."""

from __future__ import annotations

import json

import numpy as np
import pytest

from debruijn_gpu.io.fastx.fasta import read_fasta
from tests.helpers import random_sequence
from tests.naive.kmers import reverse_complement

_RNG = np.random.default_rng(77)
BEFORE, INSERTION, BEHIND = (random_sequence(_RNG, n) for n in (2_500, 700, 2_500))


@pytest.mark.parametrize("is_usual", [True, False])
def test_a_quarter_of_a_population_has_another_allele(dbg, tmp_path, is_usual):
    """At a k of 77, a third of the depth is left, so that the rarer allele is not as deep as is asked for at 21."""
    alleles = BEFORE + BEHIND, BEFORE + INSERTION + BEHIND
    rare, usual = alleles if is_usual else alleles[::-1]
    strains = [usual[shift:] for shift in (0, 3, 6)] + [rare]
    reads = [strain[i : i + 100] for strain in strains for i in range(0, len(strain) - 99, 10)]
    (tmp_path / "reads.fa").write_text("".join(f">{i}\n{read}\n" for i, read in enumerate(reads)))
    options = ("-k", "21,77", "--min-count", 2, "--keep-variants", "-v", "-o", tmp_path / "out")
    code, _out, err = dbg("assemble", tmp_path / "reads.fa", *options)
    assert code == 0
    apart = 0 if is_usual else 1
    assert f"structural variants: 1 rarer allele cut out, {apart} of them kept as contigs" in err
    contigs = [sequence.decode() for _header, sequence in read_fasta(str(tmp_path / "out" / "contigs.fasta"))]
    assert len(contigs) == 1 + apart
    middle = usual[100:-100]
    assert middle in contigs[0] or reverse_complement(middle) in contigs[0]
    assert all(INSERTION in contig or reverse_complement(INSERTION) in contig for contig in contigs[1:])
    (row,) = [line.split("\t") for line in (tmp_path / "out" / "variants.tsv").read_text().splitlines()[1:]]
    longer = len(row[3]) - len(row[2])
    assert (row[0], longer, row[6]) == ("contig_1", -700 if is_usual else 700, "77")
    section = json.loads((tmp_path / "out" / "report.json").read_text())["variants"]
    assert (section["n_insertions"], section["n_deletions"]) == (apart, 1 - apart)
