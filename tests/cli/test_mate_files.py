"""Commands take files of mates for pairs, or say that they do not."""

from __future__ import annotations

import gzip
import itertools
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PHIX = ROOT / "data" / "phix174_J02482.fa"
MATES = ROOT / "data" / "phix174_R1.fastq.gz", ROOT / "data" / "phix174_R2.fastq.gz"
TAKEN = "mates by their names, taken as -1 and -2 (-s: as unpaired reads)"


def test_files_of_mates_are_assembled_as_pairs(dbg, tmp_path):
    _, by_options, _ = dbg("assemble", "-1", MATES[0], "-2", MATES[1], "-k", 31)
    code, by_names, err = dbg("assemble", MATES[1], MATES[0], "-k", 31, "-o", tmp_path / "found")
    assert (code, by_names) == (0, "")
    assert f"{MATES[0]} and {MATES[1]}: {TAKEN}" in err
    assert (tmp_path / "found" / "contigs.fasta").read_text() == by_options
    assert f"mates: {MATES[0]} and {MATES[1]}\n" in (tmp_path / "found" / "dbg.log").read_text()
    assert "place reads and pairs" in (tmp_path / "found" / "dbg.log").read_text()


def test_unpaired_reads_stay_unpaired(dbg):
    for options in (["-s", MATES[0], "-s", MATES[1]], ["--no-pairs", *MATES]):
        code, _, err = dbg("assemble", "-v", "-k", 31, *options)
        assert (code, TAKEN in err, "place reads and pairs" in err) == (0, False, False)


def test_interleaved_file_without_an_option_is_warned_of(dbg, tmp_path):
    records = [gzip.decompress(path.read_bytes()).decode().split("\n")[:-1] for path in MATES]
    turns = itertools.chain.from_iterable(
        lines[at : at + 4] for at in range(0, len(records[0]), 4) for lines in records
    )
    path = tmp_path / "reads.fq"
    path.write_text("\n".join(turns) + "\n")
    code, _, err = dbg("assemble", "-k", 31, path)
    assert (code, f"{path}: the first two reads are named as mates; --12 takes them as pairs" in err) == (0, True)
    code, _, err = dbg("assemble", "-k", 31, "--12", path)
    assert (code, "named as mates" in err) == (0, False)


def test_screen_says_that_mates_are_not_kept_together(dbg):
    code, _, err = dbg("screen", "--against", PHIX, *MATES)
    assert (code, f"{MATES[0]} and {MATES[1]}: mates by their names; -1 and -2 keep pairs together" in err) == (0, True)
    code, _, err = dbg("screen", "--against", PHIX, "-1", MATES[0], "-2", MATES[1])
    assert (code, "keep pairs together" in err) == (0, False)


def test_files_of_mates_are_one_sample_of_bins(dbg):
    code, table, err = dbg("bin", PHIX, *MATES)
    assert (code, TAKEN in err) == (0, True)
    assert table == dbg("bin", PHIX, "-1", MATES[0], "-2", MATES[1])[1]


def test_files_that_only_look_like_mates_are_warned_of(dbg, tmp_path):
    paths = [tmp_path / folder / f"r_R{mate}.fq" for folder, mate in (("a", 1), ("b", 2))]
    for path, mates in zip(paths, MATES, strict=True):
        path.parent.mkdir()
        path.write_bytes(gzip.decompress(mates.read_bytes()))
    code, contigs, err = dbg("assemble", "-k", 31, *paths)
    warning = f"{paths[0]} and {paths[1]} are named as files of mates, but their reads are taken as unpaired: give them"
    assert (code, warning in err) == (0, True)
    code, single, err = dbg("assemble", "-k", 31, "-s", paths[0], "-s", paths[1])
    assert (code, single, "named as" in err) == (0, contigs, False)
    code, _, err = dbg("screen", "--against", PHIX, *paths)
    assert (code, f"{paths[0]} and {paths[1]}: mates by their names; -1 and -2 keep pairs together" in err) == (0, True)


@pytest.mark.parametrize(
    "command",
    [
        ("assemble", *MATES, MATES[0]),
        ("assemble", "-1", MATES[0], "-2", MATES[1], "-1", MATES[0], "-2", MATES[1]),
        ("assemble", "--estimate", "-s", MATES[0], "-s", MATES[0]),
        ("unitigs", "-k", 31, "-1", MATES[0], "-2", MATES[1], "-s", MATES[0]),
        ("bin", PHIX, MATES[0], "-s", MATES[0]),
    ],
    ids=lambda command: " ".join(map(str, command[:2])),
)
def test_a_file_that_is_given_twice_is_refused(dbg, command):
    code, out, err = dbg(*command)
    assert (code, out) == (2, "")
    assert err.splitlines()[-2:] == [
        f"dbg: {MATES[0]} is given twice",
        "     give each file of reads once, for its reads would count twice",
    ]


def test_kmers_of_a_file_that_is_given_twice_count_twice(dbg):
    once, twice = (dbg("count", "-q", "-k", 11, *(MATES[0],) * n, "--min-count", 40 * n)[1] for n in (1, 2))
    counts = [[line.split() for line in text.splitlines()] for text in (once, twice)]
    assert counts[0]
    assert counts[1] == [[kmer, str(2 * int(n))] for kmer, n in counts[0]]
