"""Files of assemblies with scaffolds, and of contigs that are walks."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace

import pytest

from debruijn_gpu.alphabet import reverse_complement
from debruijn_gpu.assembly.options import AssembleOptions
from debruijn_gpu.assembly.scaffolds import ordered_scaffolds, single_scaffolds
from debruijn_gpu.assembly_dir.directory import OutputDirectory
from debruijn_gpu.assembly_dir.scaffold_files import COLUMNS, write_agp, write_scaffold_fasta, write_scaffold_table
from debruijn_gpu.assembly_dir.writing import write_assembly
from debruijn_gpu.reports.making import make_report
from tests.assembly.scaffold_examples import assembly_of, paths_of, resolved, scaffolds_of, walked, write_resolved

AGP = """\
##agp-version 2.1
scaffold_1\t1\t35\t1\tW\tcontig_1\t1\t35\t+
scaffold_1\t36\t45\t2\tN\t10\tscaffold\tyes\tpaired-ends
scaffold_1\t46\t71\t3\tW\tcontig_2\t1\t26\t-
scaffold_1\t72\t371\t4\tN\t300\tscaffold\tyes\tpaired-ends
scaffold_1\t372\t380\t5\tW\tcontig_4\t1\t9\t+
scaffold_2\t1\t15\t1\tW\tcontig_3\t1\t15\t+
scaffold_2\t16\t25\t2\tN\t10\tscaffold\tyes\tpaired-ends
scaffold_2\t26\t32\t3\tW\tcontig_5\t1\t7\t-
scaffold_3\t1\t6\t1\tW\tcontig_6\t1\t6\t+
"""
SCAFFOLD_FILES = ("scaffolds.fasta", "scaffolds.agp", "scaffolds.tsv")


def written(write, *parts):
    stream = io.BytesIO()
    write(stream, *parts)
    return stream.getvalue()


def sequences_in(fasta):
    """Sequences by name, of FASTA with one line per sequence."""
    lines = fasta.decode().splitlines()
    return {head[1:].split()[0]: sequence.encode() for head, sequence in zip(lines[::2], lines[1::2], strict=True)}


def rebuilt(contigs, agp):
    """Build scaffolds from contigs and an AGP, and check the rules of NCBI on the way."""
    lines = agp.decode().splitlines()
    assert lines[0] == "##agp-version 2.1"
    found, last, used = {}, {}, []
    for line in lines[1:]:
        name, start, end, number, kind, *rest = line.split("\t")
        sequence = found.setdefault(name, b"")
        assert (int(start), int(number)) == (len(sequence) + 1, last.get(name, 0) + 1)
        last[name] = int(number)
        if kind == "N":
            assert rest[1:] == ["scaffold", "yes", "paired-ends"]
            assert int(rest[0]) >= 10
            assert sequence
            part = b"N" * int(rest[0])
        else:
            component, first, stop, sign = rest
            assert (kind, first, int(stop)) == ("W", "1", len(contigs[component]))
            part = reverse_complement(contigs[component]) if sign == "-" else contigs[component]
            used.append(component)
        found[name] = sequence + part
        assert int(end) == len(found[name])
    assert not any(sequence.endswith(b"N") for sequence in found.values())
    assert sorted(used) == sorted(contigs)
    return found


LAYOUTS = [
    (("1+ 2- 4+", (-7, 12), (300, 3)), ("3+ 5-", (4, 1)), "6+"),
    (("5- 4- 3- 2- 1-", (-1, 1), (0, 1), (9, 1), (10, 1)), "6+"),
    (("1+ 2+", (11, 2)), "3+", "4+", "5+", "6+"),
    ("1+", "2+", "3+", "4+", "5+", "6+"),
]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("at_once", [1, 2, 1 << 15])
def test_scaffolds_are_rebuilt_from_contigs_and_agp(tmp_path, tune, layout, at_once):
    tune(block_records=at_once)
    graph, walks, contigs, _scaffolds = resolved()
    place = write_resolved(tmp_path / "out", graph, walks, contigs, ordered_scaffolds(scaffolds_of(*layout), contigs))
    files = {name: (place / name).read_bytes() for name in ("contigs.fasta", *SCAFFOLD_FILES)}
    found = rebuilt(sequences_in(files["contigs.fasta"]), files["scaffolds.agp"])
    records = files["scaffolds.fasta"].splitlines(keepends=True)
    bases = b"".join(records[1::2])
    assert bases == b"".join(sequence + b"\n" for sequence in found.values())
    assert [re.match(rb">(\S+) length=(\d+) ", head).groups() for head in records[::2]] == [
        (name.encode(), b"%d" % len(sequence)) for name, sequence in found.items()
    ]


def test_agp_lists_contigs_and_gaps():
    _graph, _walks, contigs, scaffolds = resolved()
    assert written(write_agp, scaffolds, contigs).decode() == AGP


def test_table_holds_gaps_as_written_and_as_estimated():
    _graph, _walks, contigs, scaffolds = resolved()
    rows = [line.split("\t") for line in written(write_scaffold_table, scaffolds, contigs).decode().splitlines()]
    assert rows == [
        list(COLUMNS),
        ["scaffold_1", "1", "contig_1", "+", "1", "35", "10", "-7", "12"],
        ["scaffold_1", "2", "contig_2", "-", "46", "71", "300", "300", "3"],
        ["scaffold_1", "3", "contig_4", "+", "372", "380", "-", "-", "-"],
        ["scaffold_2", "1", "contig_3", "+", "1", "15", "10", "4", "1"],
        ["scaffold_2", "2", "contig_5", "-", "26", "32", "-", "-", "-"],
        ["scaffold_3", "1", "contig_6", "+", "1", "6", "-", "-", "-"],
    ]


def test_headers_of_scaffolds():
    _graph, _walks, contigs, scaffolds = resolved()
    heads = written(write_scaffold_fasta, scaffolds, contigs, 2.0).decode().splitlines()[::2]
    depth = 7 * (35 + 26 + 9) / (31 + 22 + 5)
    assert heads == [
        f">scaffold_1 length=380 kmer_depth={depth:.2f} read_depth={2 * depth:.2f} circular=false",
        ">scaffold_2 length=32 kmer_depth=11.00 read_depth=22.00 circular=false",
        ">scaffold_3 length=6 kmer_depth=21.00 read_depth=42.00 circular=true",
    ]


def test_directory_of_contigs_that_are_walks(tmp_path):
    place = write_resolved(tmp_path / "out")
    gfa = (place / "assembly_graph.gfa").read_text().splitlines()
    assert [line.split("\t")[2] for line in gfa if line[0] == "S"][3] == "CAGTTGACC"
    assert gfa[-2:] == ["P\tscaffold_1\t1+,4+,3+;5-,4-,2-;4-\t*", "P\tscaffold_2\t3-;5-\t*"]
    rows = [line.split("\t") for line in (place / "contigs.tsv").read_text().splitlines()]
    ends = [row[-2:] for row in rows[1:]]
    assert ends == [["0", "2"], ["0", "2"], ["1", "1"], ["4", "0"], ["1", "1"], ["0", "0"]]
    report = json.loads((place / "report.json").read_text())
    assert report["graph"] == {"n_segments": 6, "n_links": 4, "n_circular": 1, "total_bp": 74}
    assert report["contigs"]["total_bp"] == 98
    scaffolds = report["scaffolds"]
    assert (scaffolds["n_scaffolds"], scaffolds["n50_bp"], scaffolds["n_gaps"], scaffolds["gap_bp"]) == (3, 380, 3, 320)
    (values,) = json.loads((place / "general_mqc.json").read_text())["data"].values()
    assert (values["n_scaffolds"], values["scaffold_n50_kbp"]) == (3, 0.38)


def test_page_is_that_of_the_directory(tmp_path):
    place = write_resolved(tmp_path / "out")
    page = (place / "report.html").read_bytes()
    assert page == make_report(str(place))
    for text in (b"<dt>scaffold N50</dt>", b"scaffolds of several contigs", b"(GFA 1.2)", b"scaffolds.agp"):
        assert text in page


def test_walks_without_scaffolds(tmp_path):
    place = write_resolved(tmp_path / "out", *resolved()[:3], None)
    assert not any((place / name).exists() for name in SCAFFOLD_FILES)
    assert json.loads((place / "report.json").read_text())["scaffolds"] is None
    assert (place / "assembly_graph.gfa").read_text().startswith("H\tVN:Z:1.0\n")
    page = (place / "report.html").read_bytes()
    assert page == make_report(str(place))
    assert b"caffold" not in page


def test_contigs_that_are_not_reported_are_in_no_file_of_contigs(tmp_path):
    graph, walks, contigs, _scaffolds = resolved()
    scaffolds = ordered_scaffolds(scaffolds_of(("2+ 1-", (20, 4)), "3+"), contigs)
    place = write_resolved(tmp_path / "out", graph, walks, contigs, scaffolds, n_reported=3)
    agp = (place / "scaffolds.agp").read_bytes()
    rebuilt(sequences_in((place / "contigs.fasta").read_bytes()), agp)
    assert (place / "assembly_graph.gfa").read_text().count("\nP\tcontig_") == 3
    assert (place / "assembly_graph.gfa").read_text().endswith("\nP\tscaffold_1\t1+,4+,3+;5-,4-,2-\t*\n")


def test_one_contig_that_is_the_graph(tmp_path):
    """Walks of one segment each, in scaffolds of one contig each, change neither graph nor contigs."""
    graph = walked(resolved()[0], paths_of("2+"))
    assembly = assembly_of(graph, None, graph, None)
    for name, one in (("plain", replace(assembly, graph=None)), ("scaffolds", replace(
        assembly, paths=paths_of("1+"), scaffolds=single_scaffolds(1)
    ))):  # fmt: skip
        with OutputDirectory(tmp_path / name) as directory:
            write_assembly(one, AssembleOptions(ks=(5,)), directory)
    plain, scaffolds = ({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
                        for name in ("plain", "scaffolds"))  # fmt: skip
    differs = {name for name, content in scaffolds.items() if plain.get(name) != content}
    assert differs == {*SCAFFOLD_FILES, "report.json", "general_mqc.json"}
    assert "scaffolds" not in json.loads(plain["report.json"])
    assert scaffolds["scaffolds.agp"].splitlines()[1:] == [b"scaffold_1\t1\t18\t1\tW\tcontig_1\t1\t18\t+"]
