"""`dbg assemble --rotate`."""

from __future__ import annotations

import json

import pytest

from tests.cli.test_assemble import MATES, PHIX, genome
from tests.helpers import first_quick
from tests.naive.kmers import reverse_complement
from tests.pairs.examples import pairs_of, random_bases, with_repeat, write_mates

__all__ = ["genome"]

PAIRS = "-1", MATES[0], "-2", MATES[1]


def fields_of(header: str) -> dict[str, str]:
    return dict(word.split("=") for word in header.split()[1:])


def records_of(fasta: str) -> list[tuple[str, str]]:
    lines = fasta.splitlines()
    return list(zip(lines[::2], lines[1::2], strict=True))


def segments_of(gfa: str) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Sequences of segments, and steps of paths."""
    lines = [line.split("\t") for line in gfa.splitlines()]
    segments = {line[1]: line[2] for line in lines if line[0] == "S"}
    return segments, {line[1]: line[2].split(",") for line in lines if line[0] == "P"}


@pytest.mark.parametrize("is_reverse", [False, True])
@pytest.mark.parametrize("options", first_quick([[], ["--walk", "euler"], ["--no-pairs"]]))
def test_phage_starts_with_a_gene(is_reverse, options, dbg, genome, tmp_path):
    gene = (genome * 2)[3980:5522]
    gene = reverse_complement(gene) if is_reverse else gene
    (tmp_path / "genes.fa").write_text(f">absent\n{random_bases(600, 1)}\n>geneA protein A\n{gene.lower()}\n")
    code, out, err = dbg("assemble", *PAIRS, *options, "--rotate", tmp_path / "genes.fa", "-k", 51, "-v")
    assert code == 0
    ((header, sequence),) = records_of(out)
    assert fields_of(header)["circular"] == "true"
    assert fields_of(header)["rotated_to"] == "geneA"
    assert header.endswith("circular=true rotated_to=geneA")
    assert sequence.startswith(gene)
    assert len(sequence) == len(genome)
    assert "contig_1 is circular and starts with geneA: 100.0 % of 1,542 aligned bases are identical" in err


@pytest.mark.slow
def test_directory_is_consistent(dbg, tmp_path):
    """A circle over segments, with a linear contig beside it, which stays as it is."""
    plasmid = with_repeat(6_000, 250, (1000, 4000), 7)
    chromosome = random_bases(9_000, 8)
    gene = reverse_complement(plasmid[2500:3400])
    pairs = [*pairs_of(plasmid, is_circular=True), *pairs_of(chromosome)]
    first, second = write_mates(tmp_path, pairs)
    (tmp_path / "genes.fa").write_text(f">repA\n{gene}\n>cut\n{chromosome[100:900]}\n")
    texts = {}
    for name, options in {"plain": [], "rotated": ["--rotate", tmp_path / "genes.fa"]}.items():
        code, _out, err = dbg("assemble", "-1", first, "-2", second, "-o", tmp_path / name, *options)
        assert code == 0, err
        texts[name] = {path.name: path.read_text() for path in (tmp_path / name).iterdir()}
    contigs, plain = records_of(texts["rotated"]["contigs.fasta"]), records_of(texts["plain"]["contigs.fasta"])
    assert [header.removesuffix(" rotated_to=repA") for header, _ in contigs] == [header for header, _ in plain]
    assert contigs[0] == plain[0]
    sequence = contigs[1][1]
    assert sequence.startswith(gene)
    assert len(sequence) == 6_000
    assert "rotated_to=repA" in texts["rotated"]["scaffolds.fasta"]

    segments, paths = segments_of(texts["rotated"]["assembly_graph.gfa"])
    turned = [
        segments[step[:-1]] if step[-1] == "+" else reverse_complement(segments[step[:-1]])
        for step in paths["contig_2"]
    ]
    k = json.loads(texts["rotated"]["params.json"])["used"]["k"]
    assert len(turned) > 1
    circle = "".join(segment[: len(segment) - k + 1] for segment in turned)
    place = circle.index(sequence[:300]) if sequence[:300] in circle else (2 * circle).index(sequence[:300])
    assert circle[place:] + circle[:place] == sequence
    assert place < len(turned[0]) - k + 1
    params = json.loads(texts["rotated"]["params.json"])
    assert params["assemble"]["rotate"] == "genes"
    assert params["used"]["genes"] == ["repA", "cut"]
    assert "rotate" not in json.loads(texts["plain"]["params.json"])["assemble"]
    for name in ("contigs.tsv", "scaffolds.tsv", "scaffolds.agp", "report.tsv", "gap_closures.tsv"):
        assert texts["rotated"][name] == texts["plain"][name]
    assert dbg("stats", tmp_path / "rotated")[1] == dbg("stats", tmp_path / "plain")[1].replace("plain", "rotated")
    page = (tmp_path / "rotated" / "report.html").read_bytes()
    assert dbg("report", tmp_path / "rotated")[0] == 0
    assert (tmp_path / "rotated" / "report.html").read_bytes() == page


def test_linear_contigs_are_not_rotated(dbg, tmp_path):
    genome = random_bases(3_000, 9)
    first, second = write_mates(tmp_path, pairs_of(genome))
    (tmp_path / "genes.fa").write_text(f">gene\n{genome[1000:1600]}\n")
    code, out, err = dbg("assemble", "-1", first, "-2", second, "-k", 41, "--rotate", tmp_path / "genes.fa")
    assert (code, err.count("no contig is circular: none is rotated to a gene")) == (0, 1)
    assert out == dbg("assemble", "-1", first, "-2", second, "-k", 41, "--rotate", "smallest")[1]


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (None, 65, "No such file"),
        ("", 64, "the file is empty"),
        (">p\nMKLLEEFPQW\n", 64, "'L' is not a base"),
    ],
)
def test_genes_that_cannot_be_used_are_an_error(text, code, message, dbg, tmp_path):
    genes = tmp_path / "genes.fa"
    if text is not None:
        genes.write_text(text)
    found, out, err = dbg("assemble", PHIX, "--rotate", genes, "-o", tmp_path / "out")
    assert (found, out) == (code, "")
    assert message in err
    assert not (tmp_path / "out" / "contigs.fasta").exists()


def test_result_never_replaces_the_genes(dbg, tmp_path):
    assert dbg("assemble", PHIX, "-o", tmp_path / "out", "--no-clean", "--min-count", 1)[0] == 0
    genes = tmp_path / "out" / "contigs.fasta"
    before = genes.read_bytes()
    code, _out, err = dbg("assemble", PHIX, "--rotate", genes, "-o", tmp_path / "out", "-f")
    assert code == 2
    assert "which would be lost" in err
    assert genes.read_bytes() == before


def test_segment_that_is_a_circular_contig_is_rotated_with_it(dbg, genome, tmp_path):
    gene = reverse_complement((genome * 2)[3980:5522])
    (tmp_path / "genes.fa").write_text(f">geneA\n{gene}\n")
    assert dbg("assemble", *PAIRS, "-o", tmp_path / "out", "--rotate", tmp_path / "genes.fa")[0] == 0
    ((_header, sequence),) = records_of((tmp_path / "out" / "contigs.fasta").read_text())
    segments, paths = segments_of((tmp_path / "out" / "assembly_graph.gfa").read_text())
    assert sequence.startswith(gene)
    assert (segments, paths) == ({"1": sequence}, {"contig_1": ["1+"]})
