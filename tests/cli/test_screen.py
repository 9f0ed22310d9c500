"""`dbg screen` through its entry point, against a slow twin."""

from __future__ import annotations

import gzip
import json
import lzma
import os
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from tests.helpers import first_quick, random_sequence
from tests.naive import screens as naive
from tests.naive.kmers import reverse_complement

K = 15
BLOCK_BYTES = "debruijn_gpu.backends.reads.cpu.block_bytes"


def fastq(names, reads):
    """Records with qualities of all kinds, some with names on their + lines."""
    records = []
    for i, (name, read) in enumerate(zip(names, reads, strict=True)):
        qualities = "".join(chr(35 + (i + j) % 40) for j in range(len(read)))
        records.append(f"@{name} extra words\n{read}\n+{name if i % 3 else ''}\n{qualities}\n")
    return records


def fasta(names, reads):
    """Records of two lines of sequence each."""
    return [f">{name} x\n{read[:33]}\n{read[33:]}\n" for name, read in zip(names, reads, strict=True)]


@pytest.fixture(scope="module")
def genomes():
    """Two references that share 300 bases."""
    rng = np.random.default_rng(2)
    shared = random_sequence(rng, 300)
    return random_sequence(rng, 1500) + shared, random_sequence(rng, 200) + shared + random_sequence(rng, 700)


@pytest.fixture(scope="module")
def reads(genomes):
    """Reads of both strands of the references, with errors, N, chimeric, foreign, short, and empty ones."""
    rng = np.random.default_rng(3)
    found = []
    for i in range(240):
        genome = genomes[i % 2]
        start, n = int(rng.integers(len(genome) - 80)), int(rng.integers(10, 80))
        read = genome[start : start + n] if i % 3 else random_sequence(rng, n)
        if i % 4 == 0:
            at = int(rng.integers(len(read)))
            read = read[:at] + "NACGT"[i % 5] + read[at + 1 :]
        if i % 7 == 0:
            read += random_sequence(rng, 30)
        if i % 11 == 0:
            read = random_sequence(rng, 25) + read
        found.append(reverse_complement(read) if i % 5 == 0 and "N" not in read else read)
    return [*found, "", "ACGT", *found[:4]]


@pytest.fixture
def place(tmp_path, monkeypatch, genomes, reads):
    monkeypatch.chdir(tmp_path)
    for name, genome in zip(("one", "two"), genomes, strict=True):
        (tmp_path / f"{name}.fa").write_text(f">{name}_1\n{genome[:500]}\n>{name}_2\n{genome[500:]}\n")
    names = [f"r{i}" for i in range(len(reads))]
    (tmp_path / "reads.fq").write_text("".join(fastq(names, reads)))
    (tmp_path / "reads.fa").write_text(
        "".join(f">{n} x\n{r[:33]}\n{r[33:]}\n" for n, r in zip(names, reads, strict=True))
    )
    pairs = [f"p{i // 2}/{i % 2 + 1}" for i in range(len(reads))]
    records = fastq(pairs, reads)
    (tmp_path / "both.fq").write_text("".join(records))
    (tmp_path / "1.fq").write_text("".join(records[::2]))
    with gzip.open(tmp_path / "2.fq.gz", "wt") as file:
        file.write("".join(records[1::2]))
    return tmp_path


def parts(genomes):
    """The records of the reference files."""
    return [part for genome in genomes for part in (genome[:500], genome[500:])]


def is_matched(genomes, read, min_hits=Fraction(1, 2), k=K):
    references = parts(genomes)
    return len(naive.matched_kmers(references, read, k)) >= naive.needed(read, k, min_hits)


def screened(dbg, *args, against=("one.fa", "two.fa")):
    references = [word for path in against for word in ("--against", path)]
    code, out, err = dbg("screen", *args, *references, "-q")
    assert (code, err) == (0, "")
    return out


@pytest.mark.parametrize("min_hits", ["0.5", "1", "12", "0.05", "1.0"])
@pytest.mark.parametrize("k", [K, 22, 40])
def test_records_are_kept_unchanged_and_in_order(dbg, place, genomes, reads, min_hits, k):
    least = Fraction(min_hits) if "." in min_hits else int(min_hits)
    expected = [is_matched(genomes, read, least, k) for read in reads]
    assert set(expected) == {True, False}
    names = [f"r{i}" for i in range(len(reads))]
    for name, whole in (("reads.fq", fastq(names, reads)), ("reads.fa", fasta(names, reads))):
        for keep, wanted in (("matched", True), ("unmatched", False)):
            out = screened(dbg, name, "-k", k, "--min-hits", min_hits, "--keep", keep)
            assert out == "".join(r for r, is_so in zip(whole, expected, strict=True) if is_so is wanted)
    assert screened(dbg, "reads.fq", "-k", k, "--keep", "all") == (place / "reads.fq").read_text()


@pytest.mark.parametrize(("keep", "pair"), list(product(["matched", "unmatched", "all"], ["either", "both"])))
def test_mates_stay_together(dbg, place, genomes, reads, keep, pair):
    matched = [is_matched(genomes, read) for read in reads]
    combine = any if pair == "either" else all
    of_pairs = [combine(matched[i : i + 2]) for i in range(0, len(reads), 2)]
    kept = [keep == "all" or is_so is (keep == "matched") for is_so in of_pairs]
    records = fastq([f"p{i // 2}/{i % 2 + 1}" for i in range(len(reads))], reads)
    first = "".join(r for r, is_so in zip(records[::2], kept, strict=True) if is_so)
    second = "".join(r for r, is_so in zip(records[1::2], kept, strict=True) if is_so)
    both = "".join(r for i, r in enumerate(records) if kept[i // 2])
    common = "-k", K, "--keep", keep, "--pair", pair
    for paired in (("-1", "1.fq", "-2", "2.fq.gz"), ("--12", "both.fq")):
        assert screened(dbg, *paired, *common) == both
        assert screened(dbg, *paired, *common, "-o1", "o1.fq", "-o2", "o2.fq.gz") == ""
        assert (place / "o1.fq").read_text() == first
        assert gzip.decompress((place / "o2.fq.gz").read_bytes()).decode() == second


def test_single_reads_beside_pairs_go_to_the_other_output(dbg, place, reads):
    args = "reads.fq", "-1", "1.fq", "-2", "2.fq.gz", "-k", K, "--keep", "all"
    assert screened(dbg, *args, "-o1", "o1.fq", "-o2", "o2.fq", "-o", "o.fq") == ""
    assert (place / "o.fq").read_text() == (place / "reads.fq").read_text()
    assert (place / "o1.fq").read_text() == (place / "1.fq").read_text()
    assert screened(dbg, *args) == (place / "reads.fq").read_text() + (place / "both.fq").read_text()


def test_matched_bases_are_masked(dbg, place, genomes, reads):
    expected = [naive.masked(parts(genomes), read, K) for read in reads]
    names = [f"r{i}" for i in range(len(reads))]
    records = [
        record.replace(f"\n{read}\n", f"\n{masked}\n", 1)
        for record, read, masked in zip(fastq(names, reads), reads, expected, strict=True)
    ]
    assert screened(dbg, "reads.fq", "-k", K, "--mask") == "".join(records)
    out = screened(dbg, "reads.fa", "-k", K, "--mask")
    assert out == "".join(fasta(names, expected))
    kept = [not is_matched(genomes, read) for read in reads]
    wanted = "".join(r for r, is_so in zip(records, kept, strict=True) if is_so)
    assert screened(dbg, "reads.fq", "-k", K, "--mask", "--keep", "unmatched") == wanted


@pytest.mark.parametrize("ends", ["both", "left", "right"])
@pytest.mark.parametrize("min_length", [0, 1, 20])
def test_matched_ends_are_removed(dbg, place, genomes, reads, ends, min_length):
    lefts = [naive.part_left(parts(genomes), read, K, ends) for read in reads]
    names = [f"r{i}" for i in range(len(reads))]
    expected = []
    for record, (first, last) in zip(fastq(names, reads), lefts, strict=True):
        header, bases, plus, qualities = record.split("\n")[:4]
        if last - first >= min_length:
            expected.append(f"{header}\n{bases[first:last]}\n{plus}\n{qualities[first:last]}\n")
    out = screened(dbg, "reads.fq", "-k", K, "--trim", "--ends", ends, "--min-length", min_length)
    assert out == "".join(expected)


def test_trimmed_pairs_are_dropped_together(dbg, place, genomes, reads):
    lengths = [b - a for a, b in (naive.part_left(parts(genomes), read, K, "both") for read in reads)]
    for pair, combine in (("either", any), ("both", all)):
        args = "--12", "both.fq", "-k", K, "--trim", "--min-length", 12, "--pair", pair
        names = [line.split()[0] for line in screened(dbg, *args).split("\n")[::4] if line]
        is_short = [combine(n < 12 for n in lengths[i : i + 2]) for i in range(0, len(reads), 2)]
        assert names == [f"@p{i // 2}/{i % 2 + 1}" for i in range(len(reads)) if not is_short[i // 2]]


def test_report_counts_each_reference(dbg, place, genomes, reads):
    for per_record in (False, True):
        groups = [[part] for part in parts(genomes)] if per_record else [parts(genomes)[:2], parts(genomes)[2:]]
        names = ["one_1", "one_2", "two_1", "two_2"] if per_record else ["one", "two"]
        rows = []
        for name, group in zip([*names, "*"], [*groups, parts(genomes)], strict=True):
            hits = [len(naive.matched_kmers(group, read, K)) for read in reads]
            found = [n >= naive.needed(read, K, Fraction(1, 2)) for n, read in zip(hits, reads, strict=True)]
            bases = sum(len(read) for read, is_so in zip(reads, found, strict=True) if is_so)
            rows.append(f"{name}\t{sum(found)}\t{bases}\t{sum(hits)}\n")
        options = ["--per-record"] if per_record else []
        screened(dbg, "reads.fq", "-k", K, "--report", "r.tsv", *options)
        assert (place / "r.tsv").read_text() == "reference\treads\tbases\tkmers\n" + "".join(rows)
        screened(dbg, "reads.fq", "-k", K, "--report", "r.json", *options)
        found = json.loads((place / "r.json").read_text())
        assert [list(map(str, one.values())) for one in found["references"]] == [row.split() for row in rows[:-1]]
        assert found["reads"] == len(reads)
        assert found["kmers"] == sum(naive.n_kmers(read, K) for read in reads)
        assert found["reads_without_kmers"] == sum(naive.n_kmers(read, K) == 0 for read in reads)
        assert found["matched_reads"] + found["written_reads"] == len(reads)


@pytest.mark.slow
def test_many_references_with_shared_kmers(dbg, place, genomes, reads):
    """As for strains of a species: sets of references of many sizes."""
    rng = np.random.default_rng(8)
    with open("strains.fa", "w") as file:
        strains = []
        for i in range(70):
            letters = list(genomes[0][:400])
            for at in rng.integers(0, 400, 1 + i % 3):
                letters[at] = "ACGT"[int(rng.integers(4))]
            strains.append("".join(letters))
            file.write(f">s{i}\n{strains[-1]}\n")
    screened(dbg, "reads.fq", "-k", K, "--per-record", "--report", "r.tsv", against=["strains.fa"])
    rows = [line.split("\t") for line in (place / "r.tsv").read_text().splitlines()[1:-1]]
    assert [int(row[3]) for row in rows] == [
        sum(len(naive.matched_kmers([strain], read, K)) for read in reads) for strain in strains
    ]


def test_index_gives_the_same_result(dbg, place):
    expected = screened(dbg, "reads.fq", "-k", K, "--report", "r.tsv", "--save-index", "refs.npz")
    report = (place / "r.tsv").read_text()
    assert screened(dbg, "reads.fq", "--report", "r.tsv", against=["refs.npz"]) == expected
    assert (place / "r.tsv").read_text() == report
    saved = (place / "refs.npz").read_bytes()
    screened(dbg, "reads.fq", "-t", 1, "--save-index", "again.npz", against=["refs.npz"])
    assert (place / "again.npz").read_bytes() == saved
    code, out, err = dbg("screen", "reads.fq", "-k", 21, "--against", "refs.npz")
    assert (code, out) == (67, "")
    assert "refs.npz: of k = 15, but -k is 21" in err


@pytest.mark.parametrize("k", first_quick([K, 40, 16, 33], 2))
@pytest.mark.parametrize("options", [[], ["--forward"]])
@pytest.mark.parametrize("name", ["refs.dbgk", "refs.kff"])
def test_sets_of_kmers_are_references(dbg, place, k, options, name):
    expected = screened(dbg, "reads.fq", "-k", k, "--keep", "matched")
    assert dbg("count", "one.fa", "two.fa", "-k", k, *options, "-o", name, "-q")[0] == 0
    assert screened(dbg, "reads.fq", "--keep", "matched", against=[name]) == expected
    code, out, err = dbg("screen", "reads.fq", "-k", 21, "--against", name)
    assert (code, out) == (67, "")
    assert f"{name}: of k = {k}, but -k is 21" in err


@pytest.mark.parametrize("name", ["refs.dbgk", "refs.kff", "refs.npz", "one.fa"])
def test_compressed_sets_and_indexes_are_references(dbg, place, name):
    assert dbg("count", "one.fa", "two.fa", "-k", K, "-o", "refs.dbgk", "-q")[0] == 0
    assert dbg("kmers", "dump", "refs.dbgk", "-o", "refs.kff", "-q")[0] == 0
    screened(dbg, "reads.fq", "-k", K, "--save-index", "refs.npz")
    expected = screened(dbg, "reads.fq", "-k", K, against=[name])
    for module in (gzip, lzma):
        (place / "packed").write_bytes(module.compress((place / name).read_bytes()))
        assert screened(dbg, "reads.fq", "-k", K, against=["packed"]) == expected


def test_index_of_references_whose_names_are_not_utf_8(dbg, place):
    name = os.fsdecode(b"ref\xff.fa")
    (place / "one.fa").rename(place / name)
    expected = screened(dbg, "reads.fq", "-k", K, "--report", "r.tsv", "--save-index", "refs.npz", against=[name])
    report = (place / "r.tsv").read_bytes()
    assert b"ref\\udcff\t" in report
    assert screened(dbg, "reads.fq", "--report", "r.tsv", against=["refs.npz"]) == expected
    assert (place / "r.tsv").read_bytes() == report


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--mask"], ["--trim", "--min-length", "0"], ["--per-record"]])
def test_bytes_do_not_depend_on_threads_and_blocks(dbg, place, monkeypatch, options):
    args = "reads.fq", "-1", "1.fq", "-2", "2.fq.gz", "--12", "both.fq", "-k", K, "--report", "r.tsv", *options
    expected = screened(dbg, *args), (place / "r.tsv").read_bytes()
    for block_bytes, threads in ((300, 1), (301, 2), (1 << 12, 2)):
        monkeypatch.setattr(BLOCK_BYTES, block_bytes)
        assert (screened(dbg, *args, "-t", threads), (place / "r.tsv").read_bytes()) == expected
        assert screened(dbg, *args, "-o1", "1", "-o2", "2", "-t", threads).count("\n") < expected[0].count("\n")


def test_odd_layouts_of_records(dbg, place, genomes):
    """Wrapped records, other line ends, empty lines, lower case, no line end at the end of the file."""
    g = genomes[0]
    kept = "@b x\r\nACGTA\r\nCGTTT\r\n+\r\nIIIII\r\nIIIII\r\n"
    wrapped = f"@a\n{g[:30]}\n{g[30:60]}\n+\n{'I' * 60}\n"
    text = f"\n{wrapped}\n\n{kept}\r\n\n@c\n\n+\n\n\n@d\n{g[5:70].lower()}\n+\n{'#' * 65}"
    (place / "odd.fq").write_bytes(text.encode())
    code, out, _err = dbg("screen", "odd.fq", "--against", "one.fa", "-k", K)
    assert (code, out) == (0, kept + "@c\n\n+\n\n")
    code, out, _err = dbg("screen", "odd.fq", "--against", "one.fa", "-k", K, "--keep", "matched")
    assert (code, out) == (0, f"{wrapped}@d\n{g[5:70].lower()}\n+\n{'#' * 65}\n")
    code, out, _err = dbg("screen", "odd.fq", "--against", "one.fa", "-k", K, "--mask")
    assert out == f"@a\n{'N' * 30}\n{'N' * 30}\n+\n{'I' * 60}\n{kept}@c\n\n+\n\n@d\n{'N' * 65}\n+\n{'#' * 65}\n"
    (place / "wrapped.fq").write_bytes(f"@a\r\nTTTTTTT\r\n{g[:30]}GG\r\nA\r\n+x\r\n{'I' * 20}\r\n{'J' * 20}".encode())
    code, out, _err = dbg("screen", "wrapped.fq", "--against", "one.fa", "-k", K, "--trim", "--min-length", 0)
    assert out == "@a\r\nTTTTTTT\r\n+x\r\nIIIIIII\r\n"


def test_sequences_without_names_are_written_as_lines(dbg, place, genomes):
    foreign = "ACGT" * 10
    (place / "lines.txt").write_text(f"{genomes[0][:50]}\n{foreign}\n\n{genomes[1][60:90]}\nAC")
    assert screened(dbg, "lines.txt", "-k", K) == f"{foreign}\nAC\n"
    assert screened(dbg, "lines.txt", "-k", K, "--mask") == f"{'N' * 50}\n{foreign}\n{'N' * 30}\nAC\n"
    assert screened(dbg, "lines.txt", "-k", K, "--trim") == f"{foreign}\nAC\n"


def test_long_records_and_references_that_are_split(dbg, place, monkeypatch):
    rng = np.random.default_rng(1)
    long = random_sequence(rng, 40_000)
    (place / "long.fa").write_text(f">long\n{long}\n")
    reads = [long[i : i + 100] for i in range(0, 39_900, 37)]
    (place / "tiles.fa").write_text("".join(f">{i}\n{read}\n" for i, read in enumerate(reads)))
    monkeypatch.setattr(BLOCK_BYTES, 3000)
    for k in (31, 77):
        assert screened(dbg, "tiles.fa", "-k", k, "--min-hits", "1.0", "--per-record", against=["long.fa"]) == ""
        kept = screened(dbg, "long.fa", "-k", k, "--keep", "matched", against=["tiles.fa"])
        assert kept == (place / "long.fa").read_text()


ERRORS = {
    "--min-hits 0": (2, "--min-hits is 0"),
    "--min-hits 1.5": (2, "--min-hits is 1.5"),
    "--min-hits half": (2, "--min-hits is half"),
    "--min-hits -1": (2, "--min-hits is -1"),
    "--keep some": (2, "--keep some: no such choice"),
    "--pair one": (2, "--pair one: no such rule"),
    "--pair both": (2, "--pair has no effect without -1 or --12"),
    "--trim --ends up": (2, "--ends up: no such choice"),
    "--ends left": (2, "--ends has no effect without --trim"),
    "--min-length 5": (2, "--min-length has no effect without --trim"),
    "--trim --mask": (2, "exclude each other"),
    "--trim --min-hits 3": (2, "--min-hits has no effect without --keep or --report"),
    "--mask --min-hits 0.5": (2, "--min-hits has no effect without --keep or --report"),
    "--mask --min-hits 3 --keep matched": (0, ""),
    "--trim --min-hits 3 --report r.tsv": (0, ""),
    "-k 0": (2, "-k is 0"),
    "-k 256": (2, "-k is 256"),
    "-o1 1.fq": (2, "--output-1 has no effect without --output-2"),
    "-o1 x.fq -o2 y.fq": (2, "--output-1 has no effect without"),
    "-o out.fa": (2, "out.fa: fasta by its ending, but the reads are FASTQ"),
    "-o out.bam": (2, "out.bam: bam by its ending"),
    "-o x.fq --report x.fq": (2, "both"),
    "--report -": (2, "two outputs go to standard output"),
    "--report r.html": (2, "--report r.html: html by its ending"),
    "--save-index i.npz.gz": (2, "an index is not compressed"),
    "-o reads.fq": (2, "is the same file as the input"),
    "--save-index one.fa": (2, "one.fa"),
    "--against -": (2, "standard input (-)"),
    "--against missing.fa": (65, "missing.fa"),
    "--against one.fa": (64, "two references are called one"),
    "--against other/one.fa": (64, "two references are called one"),
    "--against short.fa": (0, ""),
    "--against garbage.npz": (64, "garbage.npz: the index is damaged"),
    "--against graph.npz": (64, "this .npz is no index of references"),
    "--against binary": (64, "binary"),
    "-s reads.fa": (64, "would come into one output"),
}


@pytest.mark.parametrize("line", ERRORS)
def test_errors_are_one_line_and_a_remedy(dbg, place, line):
    (place / "other").mkdir()
    (place / "other" / "one.fa").write_text(">x\nACGTACGTACGTACGTTTGA\n")
    (place / "short.fa").write_text(">x\nACGT\n")
    (place / "garbage.npz").write_bytes(b"PK\x03\x04" + bytes(range(200)))
    (place / "binary").write_bytes(bytes(range(256)))
    np.savez(place / "graph.npz", row_ptr=np.arange(3))
    stream = "-" if line == "--against -" else "reads.fq"
    code, _out, err = dbg(
        "screen", stream, "--against", "one.fa", "-q", *line.split(), *([] if "-k" in line else ["-k", K])
    )
    expected, said = ERRORS[line]
    assert (code, said in err) == (expected, True), err
    assert len(err.splitlines()) <= 2
    assert not list(place.glob("out*"))


def test_references_without_kmers_are_an_error(dbg, place):
    (place / "short.fa").write_text(">x\nACGT\n>y\nNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN\n")
    code, out, err = dbg("screen", "reads.fq", "--against", "short.fa")
    assert (code, out) == (64, "")
    assert "short.fa: no 31-mer without ambiguous bases" in err


@pytest.mark.parametrize("change", ["k", "starts", "stops", "owners", "names", "bases", "schema", "dtype"])
def test_damaged_indexes_are_refused(dbg, place, change):
    screened(dbg, "reads.fq", "-k", K, "--save-index", "refs.npz")
    arrays = dict(np.load("refs.npz"))
    meta = json.loads(arrays["meta"].tobytes())
    if change == "k":
        meta["k"] = 10**9
    elif change == "names":
        meta["names"] = ["one"]
    elif change == "schema":
        meta["schema_version"] = 99
    elif change == "dtype":
        arrays["starts"] = arrays["starts"].astype(np.float64)
    elif change == "bases":
        arrays["bases"] = arrays["bases"][:-5]
    else:
        arrays[change][1] += -(10**6) if change == "starts" else 10**6
    arrays["meta"] = np.frombuffer(json.dumps(meta).encode(), np.uint8)
    np.savez("refs.npz", **arrays)
    code, out, err = dbg("screen", "reads.fq", "--against", "refs.npz")
    assert (code, out) == (64, "")
    assert err.startswith("dbg: refs.npz: ")
    assert len(err.splitlines()) == 2


def test_records_of_an_index_are_those_it_was_made_with(dbg, place):
    screened(dbg, "reads.fq", "-k", K, "--save-index", "refs.npz")
    code, _out, err = dbg("screen", "reads.fq", "--against", "refs.npz", "--per-record")
    assert (code, "--per-record has no effect" in err) == (67, True)
