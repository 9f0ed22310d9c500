"""Files of mates are told by their names and by the name of the first read."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from debruijn_gpu.io.fastx.mate_files import are_interleaved, find_mates, look_alikes

READ = "ACGTACGTACGT"


def write(path: Path, *names: str) -> str:
    """Write a FASTQ file of reads with these names."""
    text = "".join(f"@{name}\n{READ}\n+\n{'I' * len(READ)}\n" for name in names).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return str(path)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("reads_R1.fq", "reads_R2.fq"),
        ("reads_1.fastq.gz", "reads_2.fastq.gz"),
        ("s_S1_L001_R1_001.fastq.gz", "s_S1_L001_R2_001.fastq.gz"),
        ("r1.fq", "r2.fq"),
        ("reads.1.fq", "reads.2.fq"),
        ("reads_1P.fq", "reads_2P.fq"),
        ("reads_1_val_1.fq", "reads_2_val_2.fq"),
        ("sample_1_R1.fq", "sample_1_R2.fq"),
        ("sample_1_1.fq", "sample_1_2.fq"),
    ],
)
@pytest.mark.parametrize(
    "names",
    [
        ("r/1", "r/2"),
        ("r", "r"),
        ("r 1:N:0:ACGT", "r 2:N:0:ACGT"),
        ("r x", "r y"),
        ("r.1", "r.2"),
        ("SRR1.1.1 1 length=12", "SRR1.1.2 1 length=12"),
        ("SRR1.1", "SRR1.1"),
        ("r_1", "r_2"),
    ],
)
def test_mates_are_found_in_any_order(tmp_path, first, second, names):
    paths = [write(tmp_path / name, header) for name, header in zip((first, second), names, strict=True)]
    assert find_mates(paths) == ([tuple(paths)], [])
    assert find_mates(paths[::-1]) == ([tuple(paths)], [])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("lane1.fq", "lane2.fq"),
        ("reads_R1.fq", "reads_R3.fq"),
        ("reads_1U.fq", "reads_2U.fq"),
        ("reads_11.fq", "reads_12.fq"),
        ("a_R1.fq", "b_R2.fq"),
        ("S1.fq", "S2.fq"),
    ],
)
def test_other_names_are_of_no_mates(tmp_path, first, second):
    paths = [write(tmp_path / name, "r") for name in (first, second)]
    assert find_mates(paths) == ([], paths)


@pytest.mark.parametrize(
    ("one", "other"),
    [("r1", "r2"), ("r/2", "r/1"), ("r/1", "r/1"), ("r/1", "r"), ("", ""), ("r.2", "r.1"), ("r.1", "s.2")],
)
def test_first_reads_of_other_names_are_no_mates(tmp_path, one, other):
    paths = [write(tmp_path / "reads_R1.fq", one), write(tmp_path / "reads_R2.fq", other)]
    assert find_mates(paths) == ([], paths)


def test_files_of_several_lanes_and_others(tmp_path):
    names = [f"{lane}_R{mate}.fa" for lane in ("a", "b", "c") for mate in (1, 2)]
    for name in names:
        (tmp_path / name).write_text(f"\n>{name[0]}/{name[3]}\n{READ}\n")
    names += [f"{name}_R{mate}.fq" for name in ("lines", "missing") for mate in (1, 2)]
    paths = [str(tmp_path / name) for name in names]
    for path in paths[6:8]:
        Path(path).write_text(f"{READ}\n")
    shuffled = [paths[i] for i in (3, 6, 0, 4, 9, 5, 1, 7, 2, 8)]
    pairs, others = find_mates(shuffled)
    assert pairs == [(paths[0], paths[1]), (paths[4], paths[5]), (paths[2], paths[3])]
    assert others == [paths[i] for i in (6, 9, 7, 8)]


def test_file_that_is_given_twice_stays(tmp_path):
    paths = [write(tmp_path / f"reads_R{mate}.fq", "r") for mate in (1, 2)]
    assert find_mates([*paths, paths[0]]) == ([], [*paths, paths[0]])


def test_damaged_files_are_no_mates(tmp_path):
    paths = [write(tmp_path / f"reads_R{mate}.fq.gz", "r") for mate in (1, 2)]
    Path(paths[1]).write_bytes(Path(paths[1]).read_bytes()[:14])
    (tmp_path / "empty_R1.fq").touch()
    (tmp_path / "empty_R2.fq").touch()
    paths += [str(tmp_path / f"empty_R{mate}.fq") for mate in (1, 2)]
    assert find_mates([*paths, "-"]) == ([], [*paths, "-"])


def test_contigs_of_two_assemblies_are_no_mates(tmp_path):
    paths = [tmp_path / f"assembly_{number}.fa" for number in (1, 2)]
    for path in paths:
        path.write_text(f">contig_1\n{READ}\n")
    assert find_mates([*map(str, paths)]) == ([], [*map(str, paths)])


def test_numbers_of_reads_are_not_those_of_mates(tmp_path):
    """Reads of two runs, or halves of one, which are numbered behind a point."""
    paths = [write(tmp_path / "reads_1.fq", "r.1", "r.3"), write(tmp_path / "reads_2.fq", "r.2", "r.4")]
    assert find_mates(paths) == ([], paths)
    for number, path in enumerate(paths, 1):
        Path(path).write_text(f">chromosome_{number}\n{READ}\n")
    assert find_mates(paths) == ([], paths)


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["d1/r_R1.fq", "d2/r_R2.fq"], [(0, 1)]),
        (["s_reverse.fq.gz", "s_forward.fq.gz"], [(1, 0)]),
        (["Forward.fa", "Reverse.fa", "a_F.fq", "a_R.fq", "b.fwd.fq", "b.rev.fq"], [(0, 1), (2, 3), (4, 5)]),
        (["d1/r_R1.fq", "d2/r_R2.fq", "d1/r_R2.fq"], [(0, 2)]),
        (["r_R1.fq", "r_R2.fq", "r_R1.fq"], []),
        (["r_R1.fq", "r_R1.fq"], []),
        (["lane1.fq", "lane2.fq", "forwards.fq", "reverses.fq", "-"], []),
    ],
)
def test_files_look_like_mates_by_their_names_alone(paths, expected):
    assert look_alikes(paths) == [(paths[first], paths[second]) for first, second in expected]


@pytest.mark.parametrize(("names", "are_mates"), [(("r", "t"), False), (("r", "s"), True), (("r", "s", "t"), True)])
def test_names_that_say_no_mate_are_all_the_same(tmp_path, names, are_mates):
    paths = [write(tmp_path / "reads_1.fq", "r", "s"), write(tmp_path / "reads_2.fq", *names)]
    assert bool(find_mates(paths)[0]) is are_mates


def test_names_of_one_file_are_no_mates(tmp_path):
    path = write(tmp_path / "reads_1.fq", "r")
    (tmp_path / "reads_2.fq").hardlink_to(path)
    assert find_mates([path, str(tmp_path / "reads_2.fq")])[0] == []


def test_standard_input_is_not_touched_where_a_file_has_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "-", "r/1", "r/2")
    monkeypatch.setattr("debruijn_gpu.io.fastx.mate_files.read_blocks", None)
    assert not are_interleaved("-")
    assert find_mates(["-", "-"]) == ([], ["-", "-"])


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("r/1", "r/2"), True),
        (("r 1:N:0:A", "r 2:N:0:A"), True),
        (("r/2", "r/1"), False),
        (("r", "r"), False),
        (("r/1", "s/2"), False),
        (("r/1",), False),
        (("r.1.1", "r.1.2", "r.2.1", "r.2.2"), True),
        (("r.1", "r.2", "r.3", "r.4"), False),
        (("r.1", "r.2"), False),
    ],
)
@pytest.mark.parametrize("form", ["fastq", "fasta"])
def test_interleaved_mates_say_which_they_are(tmp_path, names, expected, form):
    path = tmp_path / "reads"
    if form == "fastq":
        write(path, *names)
    else:
        path.write_text("".join(f">{name}\n{READ}\n{READ}\n" for name in names))
    assert are_interleaved(str(path)) is expected
