"""Read the genes by which contigs are rotated."""

from __future__ import annotations

import pytest

from debruijn_gpu.errors import FormatError, InputNotFoundError
from debruijn_gpu.io.fastx.genes import read_genes

GENE = "ACGTTGCAAC" * 6


def test_genes_are_read_in_the_order_of_the_file(tmp_path):
    (tmp_path / "genes.fa").write_text(f">dnaA of a phage\n{GENE.lower()}\r\n{GENE}\n>\n{GENE.replace('T', 'U')}NN\n")
    first, second = read_genes(str(tmp_path / "genes.fa"))
    assert (first.name, first.sequence.decode()) == ("dnaA", GENE + GENE)
    assert (second.name, second.sequence.decode()) == ("gene_2", GENE + "NN")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("no genes at all\n", "not FASTA"),
        (">p\nMKLLEEFPQW\n", "record p, line 2: 'L' is not a base"),
        (">p\n" + "MKSVAGTRHWDN" * 5 + "\n", "record p: expected nucleotides, got 45 other letters of 60"),
        (">a\n" + GENE + "\n>b\nACGT\n", "record b: expected a gene of 50 to 10,000 bases, got 4 bases"),
        (">none\n", "record none: expected a gene of 50 to 10,000 bases, got 0 bases"),
        (">long\n" + GENE * 200 + "\n", "record long: expected a gene of 50 to 10,000 bases, got 12,000 bases"),
    ],
)
def test_what_is_no_gene_is_refused(text, message, tmp_path):
    (tmp_path / "genes.fa").write_text(text)
    with pytest.raises(FormatError, match=message) as error:
        read_genes(str(tmp_path / "genes.fa"))
    assert "as nucleotides" in error.value.fix


def test_missing_file_is_an_error(tmp_path):
    with pytest.raises(InputNotFoundError):
        read_genes(str(tmp_path / "genes.fa"))
