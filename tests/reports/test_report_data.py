"""What reports tell, before it is a page."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from debruijn_gpu.assembly.insert_sizes import TOO_FEW, UNRELATED, SizeSummary
from debruijn_gpu.assembly_dir.reading import FILES, contig_table, read_contig_table, read_directory, read_file
from debruijn_gpu.errors import FormatError, InputNotFoundError
from debruijn_gpu.io.fastx.writing import write_fasta
from debruijn_gpu.kmers.spectrum import Spectrum
from debruijn_gpu.reports.assembly_data import cumulative_curve, nx_curve, short_names, spectrum_curves, thinned
from debruijn_gpu.reports.assembly_findings import assembly_findings, next_steps, overall
from debruijn_gpu.reports.finding import short_bp
from debruijn_gpu.reports.groups import contig_groups
from debruijn_gpu.reports.report_page import report_page
from tests.assembly.examples import contigs_of, fork
from tests.reports.assemblies import PAIRS, peaked_spectrum, random_contigs, write_directory


@pytest.fixture
def place(tmp_path):
    return write_directory(tmp_path / "out")


def judged(files):
    stats = files.contigs.stats()
    low_depth = None if files.spectrum is None else spectrum_curves(files.spectrum)["low_depth"]
    found = assembly_findings(files, stats, contig_groups(files.contigs), low_depth)
    return {finding.question: finding.level for finding in found}, found


def test_a_directory_is_read_whole(place):
    files = read_directory(place)
    assert files.missing == []
    assert files.contigs.names == ["contig_1", "contig_2", "contig_3", "contig_4"]
    assert files.contigs.lengths.tolist() == [9000, 6000, 4000, 1000]
    assert np.allclose(files.contigs.kmer_depth, 30)
    assert files.contigs.gc_percent == pytest.approx(50, abs=4)
    assert files.contigs.stats().total_bp == files.report["contigs"]["total_bp"] == 20_000
    assert [len(files.graph.contigs), len(files.graph.contigs.links)] == [4, 1]
    assert files.graph.contigs.kmer_depth.tolist() == [30, 30, 30, 30]
    assert len(files.run.stages) == 2


@pytest.mark.parametrize("name", ["assembly_graph.gfa", "report.json", "spectrum.hist", "params.json", "run.json"])
def test_what_is_missing_is_said(place, name):
    (place / name).unlink()
    files = read_directory(place)
    assert files.missing == [name]
    assert f"{name} is missing, so" in report_page(files).decode()


def test_directories_of_earlier_versions_have_no_part_on_the_run(place):
    (place / "run.json").unlink()
    page = report_page(read_directory(place)).decode()
    assert "There is no run.json" in page
    assert 'id="chart-time"' not in page
    assert "<h3>Command</h3>" not in page
    assert "1,000,000 k-mers" not in page


def test_the_run_is_shown_as_recorded(place):
    page = report_page(read_directory(place)).decode()
    assert "3.0 s in total; 3.5 CPU seconds; peak memory 1.50 GiB; 2 threads; backend: cpu on Some" in page
    assert "<td>clean</td><td>12 unitigs removed</td>" in page
    assert "Warning of the run: a &lt;u&gt;warning&lt;/u&gt;" in page
    assert "dbg assemble &#39;&lt;b&gt;reads&lt;/b&gt;.fq&#39; -o out" in page


@pytest.mark.parametrize("text", ["{}", '{"stages": [{"name": 3}], "wall_s": "long"}', '{"host": 3, "versions": []}'])
def test_a_record_without_known_members_is_skipped(place, text):
    (place / "run.json").write_text(text)
    page = report_page(read_directory(place)).decode()
    assert 'id="chart-time"' not in page


@pytest.mark.parametrize("text", ["[]", "{", '{"wall_s": 1e999}'])
def test_a_record_that_is_not_one(place, text):
    (place / "run.json").write_text(text)
    with pytest.raises(FormatError, match=r"run\.json"):
        read_directory(place)


def test_nothing_but_contigs(place):
    for name in FILES:
        if name != "contigs.fasta":
            (place / name).unlink(missing_ok=True)
    page = report_page(read_directory(place)).decode()
    assert page.count("is missing, so the parts") == 5


def test_reports_of_earlier_versions(place):
    """Without what later ones tell."""
    report = json.loads((place / "report.json").read_text())
    del report["insert_sizes"], report["cleaning"]["by_round"], report["spectrum"]["low_depth"]
    (place / "report.json").write_text(json.dumps(report))
    page = report_page(read_directory(place)).decode()
    assert "Not measured: report.json holds no insert sizes." in page


NOT_REPORTS = ["[]", "{", "[" * 200_000, '{"k": 1e999}', '{"k": NaN}', '{"k": "\\ud800"}', '{"k": ' + "9" * 5000 + "}"]


@pytest.mark.parametrize("value", ['{"spectrum": 3, "k": [], "cleaning": "x", "reads": null}', *NOT_REPORTS])
def test_a_report_that_is_not_one(place, value):
    (place / "report.json").write_text(value)
    if value not in NOT_REPORTS:
        assert b"Assembly report" in report_page(read_directory(place))
    else:
        with pytest.raises(FormatError, match=r"report\.json"):
            read_directory(place)


@pytest.mark.parametrize(
    "text", ["1\n", "1 2 3\n", "a b\n", "2 1\n1 1\n", "-1 5\n", "1 0\n", "1 99999999999999999999\n"]
)
def test_a_histogram_that_is_not_one(place, text):
    (place / "spectrum.hist").write_text(text)
    with pytest.raises(FormatError, match=r"spectrum\.hist"):
        read_directory(place)


def test_no_contigs_file(tmp_path):
    with pytest.raises(InputNotFoundError, match="holds no contigs"):
        read_directory(tmp_path)


@pytest.mark.parametrize(
    ("header", "kmer_depth", "circular"),
    [
        ("contig_1 length=5 kmer_depth=12.76 read_depth=25.50 circular=true", 12.76, True),
        ("contig_1 length=5 coverage=12.76 circular=true", 12.76, True),
        ("contig_1 read_depth=25.50", None, False),
        ("NODE_1_length_5_cov_31.024556", 31.024556, False),
        ("k141_7 flag=1 multi=23.0000 len=5123", 23.0, False),
        ("1 length=5386 depth=1.00x circular=true", 1.0, True),
        ("contig00001 len=5 cov=30.1 corr=0", 30.1, False),
        ("0 LN:i:5 KC:i:142282 km:f:26.4", 26.4, False),
        ("recovery=5 discovered", None, False),
        ("NC_000913.3 Escherichia coli", None, False),
    ],
)
def test_depth_as_other_programs_write_it(tmp_path, header, kmer_depth, circular):
    path = tmp_path / "x.fa"
    path.write_text(f">{header}\nACGTA\n")
    found = read_contig_table(str(path))
    assert found.circular.tolist() == [circular]
    assert np.isnan(found.kmer_depth[0]) if kmer_depth is None else found.kmer_depth[0] == kmer_depth


def test_composition_of_short_and_long_contigs(tmp_path):
    path = tmp_path / "x.fa"
    sequences = ["ACGTN", "GGCNNRY" * 1000, "ATSWKMBDHVUIX-.*C" * 500]
    path.write_text("".join(f">c{i}\n{sequence}\n" for i, sequence in enumerate(sequences)))
    found = read_contig_table(str(path))
    assert found.gc.tolist() == [sequence.count("G") + sequence.count("C") for sequence in sequences]
    assert found.n_bases.tolist() == [sum(map(sequence.count, "ACGT")) for sequence in sequences]


def test_gfa_alone(place):
    files = read_file(str(place / "assembly_graph.gfa"))
    assert files.contigs.kmer_depth.tolist() == [30, 30, 30, 30]
    assert b"Made from contigs alone" in report_page(files)


def test_curves():
    assert thinned(5).tolist() == [0, 1, 2, 3, 4]
    places = thinned(1_000_000, 100)
    assert (places[0], places[-1]) == (0, 999_999)
    assert len(places) <= 101
    assert np.all(np.diff(places) > 0)


def test_length_curves_agree_with_n50(place):
    contigs = read_directory(place).contigs
    assert cumulative_curve(contigs) == {"x": [0, 1, 2, 3, 4], "y": [0, 9000, 15_000, 19_000, 20_000]}
    assert nx_curve(contigs) == {"x": [0, 45, 75, 95, 100], "y": [9000, 9000, 6000, 4000, 1000]}


@pytest.mark.parametrize("depth", [10, 100, 5000])
def test_spectrum_curves(depth):
    spectrum = peaked_spectrum(depth)
    curves = spectrum_curves(spectrum)
    assert curves["depth"] == pytest.approx(depth, rel=0.05)
    assert len(curves["x"]) == len(curves["counted"]) == len(curves["total"]) <= 1501
    at = curves["x"].index(int(spectrum.multiplicity[0]))
    assert curves["counted"][at] == spectrum.frequency[0]


def test_spectrum_without_a_peak():
    spectrum = replace(peaked_spectrum(), multiplicity=np.array([1, 2, 900]), frequency=np.array([500, 20, 1]))
    curves = spectrum_curves(spectrum)
    assert (curves["depth"], curves["peaks"], curves["total"]) == (None, [], [])
    assert spectrum_curves(replace(spectrum, multiplicity=np.array([], int), frequency=np.array([], int))) is None


def grouped(tmp_path, *groups):
    """Contigs of groups (lengths, GC, k-mer depth), as a table."""
    lines, i = [], 0
    for seed, (lengths, gc, kmer_depth) in enumerate(groups):
        for sequence in random_contigs(lengths, seed, gc):
            lines.append(f">c{i} kmer_depth={kmer_depth * (1 + 0.01 * (i % 5)):.2f}\n{sequence.decode()}\n")
            i += 1
    (tmp_path / "x.fa").write_text("".join(lines))
    return read_file(str(tmp_path / "x.fa"))


def test_groups_of_contigs(tmp_path):
    files = grouped(
        tmp_path, ([20_000, 9000, 5000], 0.5, 30), ([8000, 3000], 0.65, 9), ([4000], 0.5, 120), ([300] * 9, 0.3, 3)
    )
    groups = contig_groups(files.contigs)
    assert [(group.n_contigs, group.total_bp) for group in groups] == [(3, 34_000), (2, 11_000), (1, 4000)]
    assert [group.kmer_depth for group in groups] == pytest.approx([30, 9, 120], rel=0.06)
    assert [group.gc_percent for group in groups] == pytest.approx([50, 65, 50], abs=3)
    assert judged(files)[0]["Contamination"] == "poor"


def test_repeats_are_no_contamination(tmp_path):
    files = grouped(tmp_path, ([50_000, 30_000], 0.5, 30), ([3000, 3000], 0.5, 120))
    levels, found = judged(files)
    assert levels["Contamination"] == "good"
    assert "repeats or plasmids" in next(v.reason for v in found if v.question == "Contamination")


def test_no_groups_without_depth(tmp_path):
    (tmp_path / "x.fa").write_text(">a\nACGT\n>b\nNNNN\n")
    assert contig_groups(read_file(str(tmp_path / "x.fa")).contigs) == []


def test_findings_on_a_sound_assembly(place):
    files = read_directory(place)
    levels, found = judged(files)
    assert levels == dict.fromkeys(
        ["Read depth", "Read errors", "Genome size", "Contiguity", "Contamination", "Pairs"], "good"
    )
    assert overall(found, files) == ("good", "A sound draft.")
    assert any("QUAST" in step for step in next_steps(found, files))


def test_contigs_alone_are_not_called_a_sound_draft(tmp_path):
    files = grouped(tmp_path, ([90_000], 0.5, 30))
    assert overall(judged(files)[1], files) == (
        "note",
        "Contigs alone show lengths, not errors.",
    )
    (tmp_path / "x.fa").write_text(">a\n")
    files = read_file(str(tmp_path / "x.fa"))
    assert overall(judged(files)[1], files)[1] == "There are no contigs."


def test_findings_on_a_complete_genome(tmp_path):
    files = read_directory(write_directory(tmp_path / "x", random_contigs([20_000]), circular=[0]))
    assert "1 unitig with 1 link." in report_page(files).decode()
    levels, found = judged(files)
    assert levels["Circular contigs"] == "good"
    assert "looks complete" in overall(found, files)[1]


@pytest.mark.parametrize(("depth", "level"), [(6, "poor"), (11, "fair"), (40, "good"), (400, "good")])
def test_finding_on_depth(tmp_path, depth, level):
    place = write_directory(tmp_path / "x", spectrum=peaked_spectrum(depth), kmer_depth=depth)
    assert judged(read_directory(place))[0]["Read depth"] == level


def test_depth_of_a_complete_genome_is_sufficient(tmp_path):
    options = {"spectrum": peaked_spectrum(11), "kmer_depth": 11}
    files = read_directory(write_directory(tmp_path / "x", random_contigs([20_000]), circular=[0], **options))
    levels, found = judged(files)
    assert levels["Read depth"] == "good"
    assert not any("Sequence more" in step for step in next_steps(found, files))


@pytest.mark.parametrize(("genome", "level"), [(20_000, "good"), (25_000, "fair"), (16_500, "fair"), (40_000, "poor")])
def test_finding_on_genome_size(tmp_path, genome, level):
    place = write_directory(tmp_path / "x", spectrum=peaked_spectrum(genome=genome))
    assert judged(read_directory(place))[0]["Genome size"] == level


def test_a_fragment_of_a_genome_is_not_contiguous(tmp_path):
    """Of a graph with errors a single contig may be left."""
    place = write_directory(tmp_path / "x", random_contigs([212]))
    report = json.loads((place / "report.json").read_text())
    report["cleaning"] = None
    (place / "report.json").write_text(json.dumps(report))
    levels, found = judged(read_directory(place))
    assert (levels["Contiguity"], levels["Genome size"]) == ("poor", "poor")
    assert "--no-clean" in next(v.reason for v in found if v.question == "Genome size")


def test_finding_on_fragments(tmp_path):
    place = write_directory(tmp_path / "x", random_contigs([300] * 66))
    levels, found = judged(read_directory(place))
    assert levels["Contiguity"] == "poor"
    assert overall(found, read_directory(place)) == ("poor", "Use with care: see contiguity.")


def test_finding_on_pairs(tmp_path):
    averted = replace(PAIRS, n_inward=6, n_outward=890, orientation="RF")
    none = replace(PAIRS, n_placed=0, orientation=None, sizes=None)
    place = write_directory(tmp_path / "x", inserts=(PAIRS, averted, none))
    levels, _found = judged(read_directory(place))
    assert [levels[f"Pairs of input {i}"] for i in (1, 2, 3)] == ["good", "note", "note"]


def test_finding_on_pairs_that_are_not_used(tmp_path):
    few = replace(PAIRS, n_placed=3, n_inward=3, orientation=None, sizes=None, why_unusable=TOO_FEW)
    numbers = {"n_placed": 400, "n_inward": 115, "n_outward": 73, "n_same": 212}
    unrelated = replace(few, **numbers, why_unusable=UNRELATED)
    levels, found = judged(read_directory(write_directory(tmp_path / "x", inserts=(few, unrelated))))
    assert [levels[f"Pairs of input {i}"] for i in (1, 2)] == ["note", "fair"]
    assert [finding.figure for finding in found[-2:]] == ["not used", "not used"]
    assert [finding.reason for finding in found[-2:]] == [
        "3 of 1,000 pairs have both mates on one unitig, too few to measure their distance.",
        "Mates look unrelated: 400 of 1,000 pairs have both mates on one unitig, of these 115 face each other, "
        "73 face away, 212 are on the same strand.",
    ]


def test_one_file_given_as_both_mates(tmp_path):
    same = replace(
        PAIRS, n_inward=0, n_outward=0, n_same=900, orientation="FF", sizes=SizeSummary(1, 1, 1, 0, 1, 1, (900,))
    )
    turned = replace(same, sizes=PAIRS.sizes)
    mixed = replace(PAIRS, n_inward=500, n_outward=300, n_same=100)
    place = write_directory(tmp_path / "x", inserts=(same, turned, mixed))
    levels, found = judged(read_directory(place))
    assert [levels[f"Pairs of input {i}"] for i in (1, 2, 3)] == ["poor", "fair", "fair"]
    reasons = [finding.reason for finding in found[-3:]]
    assert ["are the same read" in reasons[0], "on the same strand" in reasons[1]] == [True, True]
    assert "55.6 % face each other, 33.3 % face away, 11.1 % are on the same strand" in reasons[2]


def test_inserts_as_long_as_contigs_are_known_to_be_biased(tmp_path):
    place = write_directory(tmp_path / "x", random_contigs([700] * 30))
    assert "are missed" in judged(read_directory(place))[1][-1].reason
    assert "are missed" not in judged(read_directory(write_directory(tmp_path / "y")))[1][-1].reason


def test_composition_alone_is_no_contamination_of_a_small_genome(tmp_path):
    """As of phage lambda, whose halves have 57 % and 46 % GC."""
    levels, found = judged(grouped(tmp_path, ([20_000, 9000], 0.57, 30), ([14_000], 0.43, 30)))
    assert levels["Contamination"] == "note"
    reason = next(v.reason for v in found if v.question == "Contamination")
    assert "1 contig of 14 kbp at the same depth and 43 % GC" in reason


def test_composition_of_tiny_contigs_is_chance(tmp_path):
    assert "Contamination" not in judged(grouped(tmp_path, ([60] * 3000, 0.5, 3)))[0]
    assert judged(grouped(tmp_path, ([400] * 500, 0.5, 30)))[0]["Contamination"] == "good"


def test_composition_tells_in_many_bases(tmp_path):
    assert judged(grouped(tmp_path, ([600_000], 0.57, 30), ([150_000], 0.43, 30)))[0]["Contamination"] == "poor"


def test_an_estimate_below_evenly_covered_contigs_is_doubted(tmp_path):
    """Not the contigs: no contig is thin, as of one of two alleles or of another organism."""
    even = write_directory(tmp_path / "x", spectrum=peaked_spectrum(genome=14_000))
    found = next(v for v in judged(read_directory(even))[1] if v.question == "Genome size")
    assert (found.level, found.advice, "probably too low" in found.reason) == ("fair", "", True)
    thin = write_directory(tmp_path / "y", spectrum=peaked_spectrum(genome=14_000), kmer_depth=15)
    found = next(v for v in judged(read_directory(thin))[1] if v.question == "Genome size")
    assert (found.level, "both alleles" in found.reason) == ("poor", True)


@pytest.mark.parametrize(("kmer_depth", "bubbles", "merged"), [(45, 60, True), (45, 0, False), (30, 60, False)])
def test_merged_alleles_are_told_from_repeats(tmp_path, kmer_depth, bubbles, merged):
    place = write_directory(tmp_path / "x", spectrum=peaked_spectrum(genome=34_000), kmer_depth=kmer_depth)
    report = json.loads((place / "report.json").read_text())
    report["cleaning"]["bubbles"] = bubbles
    (place / "report.json").write_text(json.dumps(report))
    reason = next(v.reason for v in judged(read_directory(place))[1] if v.question == "Genome size")
    assert ("were merged into one" in reason, "repeats were collapsed" in reason) == (merged, not merged)


def test_contigs_that_end_in_gaps_are_not_said_to_end_at_repeats(tmp_path):
    place = write_directory(tmp_path / "x", random_contigs([900] * 30))
    files = read_directory(place)
    found = next(v for v in judged(files)[1] if v.question == "Contiguity")
    assert "reads are missing" in found.reason
    n = len(files.graph.contigs)
    ring = "".join(f"L\t{i}\t+\t{i % n + 1}\t+\t30M\n" for i in range(1, n + 1))
    lines = (place / "assembly_graph.gfa").read_text().splitlines(keepends=True)
    (place / "assembly_graph.gfa").write_text("".join(line for line in lines if line[0] != "L") + ring)
    found = next(v for v in judged(read_directory(place))[1] if v.question == "Contiguity")
    assert ("reads are missing" in found.reason, "repeats" in found.advice) == (False, True)


def test_short_circular_contigs_are_not_called_chromosomes(tmp_path):
    files = read_directory(write_directory(tmp_path / "x", random_contigs([300]), circular=[0]))
    levels, found = judged(files)
    assert levels["Circular contigs"] == "note"
    assert "complete" not in overall(found, files)[1]


def test_reads_with_hardly_any_errors(tmp_path):
    spectrum = peaked_spectrum()
    clean = replace(spectrum, multiplicity=spectrum.multiplicity[10:], frequency=spectrum.frequency[10:])
    place = write_directory(tmp_path / "x", spectrum=clean)
    assert next(v.figure for v in judged(read_directory(place))[1] if v.question == "Read errors") == "very few"


def test_uneven_depth(tmp_path):
    """A fifth of the genome far below the rest, but above errors; many errors alone are not uneven depth."""
    rng = np.random.default_rng(2)
    depths = np.concatenate([rng.poisson(100, 16_000), rng.poisson(18, 4000), 1 + rng.poisson(0.4, 90_000)])
    for is_uneven, kept in ((True, depths), (False, np.concatenate([depths[:16_000], depths[20_000:]]))):
        counted = np.bincount(kept)
        there = np.flatnonzero(counted)
        place = write_directory(tmp_path / str(is_uneven), spectrum=Spectrum(31, there, counted[there]))
        found = judged(read_directory(place))[1][0]
        assert (found.level, "uneven" in found.reason) == (("fair", True) if is_uneven else ("good", False))


def test_no_contigs(tmp_path):
    files = read_directory(write_directory(tmp_path / "x", []))
    assert overall(judged(files)[1], files) == ("poor", "There are no contigs.")
    assert b"There are no contigs." in report_page(files)


@pytest.mark.parametrize(
    ("length", "text"),
    [(0, "0 bp"), (999, "999 bp"), (1000, "1 kbp"), (73_700, "73.7 kbp"), (999_960, "1 Mbp"), (4_641_652, "4.64 Mbp")],
)
def test_short_lengths(length, text):
    assert short_bp(length) == text


@pytest.mark.slow
def test_page_of_a_large_assembly_is_small(tmp_path):
    lengths = np.random.default_rng(1).integers(31, 300, 30_000)
    place = write_directory(tmp_path / "x", random_contigs(lengths.tolist()))
    gfa = (place / "assembly_graph.gfa").read_text()
    links = "".join(
        f"L\t{i}\t+\t{j}\t{s}\t30M\n" for i in range(1, 3000) for j, s in ((i + 1, "+"), (i + 2, "-"), (i + 3, "+"))
    )
    (place / "assembly_graph.gfa").write_text(gfa + links)
    page = report_page(read_directory(place))
    assert len(page) < 3_000_000
    assert page == report_page(read_directory(place))


@pytest.mark.slow
@pytest.mark.parametrize("letter", ["ü", "\U0001f9ec"])
def test_page_of_long_names_and_many_links_is_small(tmp_path, letter):
    n = 6000
    names = [letter * 220 + str(i) for i in range(n)]
    segments = "".join(f"S\t{name}\t{'ACGT' * 20}\tDP:f:3\n" for name in names)
    links = "".join(
        f"L\t{names[i]}\t+\t{names[(7 * i + j) % n]}\t-\t20M\n" for i in range(0, n, 20) for j in range(150)
    )
    (tmp_path / "x.gfa").write_text(segments + links)
    page = report_page(read_file(str(tmp_path / "x.gfa")))
    assert len(page) < 3_000_000


def test_long_names_are_told_apart():
    assert short_names(["a", "b" * 300 + "1"]) == ["a", "b" * 100 + "…" + "b" * 98 + "1"]
    assert len(set(short_names(["ü" * 300 + str(i) for i in range(5000)]))) == 5000


@pytest.mark.parametrize("contigs", [contigs_of([], 5), fork()], ids=["none", "four"])
def test_contigs_in_memory_are_those_of_the_file(tmp_path, contigs):
    with open(tmp_path / "contigs.fasta", "wb") as stream:
        write_fasta(stream, contigs, 1.37)
    read, known = read_contig_table(str(tmp_path / "contigs.fasta"), empty=True), contig_table(contigs, 1.37)
    assert read.names == known.names
    for name in ("lengths", "gc", "n_bases", "kmer_depth", "read_depth", "circular"):
        assert getattr(read, name).dtype == getattr(known, name).dtype
        assert getattr(read, name).tolist() == getattr(known, name).tolist()
