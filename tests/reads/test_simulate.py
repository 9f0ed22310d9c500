"""Simulated reads: where they come from, their errors, and that a seed tells it all."""

from __future__ import annotations

import io
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from Bio.SeqIO.QualityIO import FastqGeneralIterator
from hypothesis import assume, given, strategies as st

from debruijn_gpu.alphabet import reverse_complement
from debruijn_gpu.errors import FormatError, ParameterError
from debruijn_gpu.reads import drawing, sequencing
from debruijn_gpu.reads.drawing import Random, Reads
from debruijn_gpu.reads.genome import load_genome
from debruijn_gpu.reads.options import SimulateOptions
from debruijn_gpu.reads.qualities import ERROR_PROBABILITY, N_BINS, PHRED, error_rates, quality_model
from debruijn_gpu.reads.simulate import simulate_reads
from debruijn_gpu.run.tuning import tuned
from tests.naive import simulate as naive

PERFECT = SimulateOptions(length_bp=50, depth=20, sub_rate=0, indel_rate=0)


def genome(n_bp, seed=7):
    return np.random.default_rng(seed).choice(list(b"ACGT"), n_bp).astype(np.uint8).tobytes()


def reads_of(records, options, interleaved=False):
    """Name, bases and qualities of each read, one list for each output."""
    blocks = list(simulate_reads(load_genome(records, options), options, interleaved))
    texts = [b"".join(parts).decode() for parts in zip(*blocks, strict=True)]
    return [list(FastqGeneralIterator(io.StringIO(text))) for text in texts]


def places(record, read, circular=False):
    """Start and strand of each occurrence of a read in a record."""
    text = record + record[: len(read) - 1] if circular else record
    found = []
    for sequence, strand in ((read, "+"), (reverse_complement(read), "-")):
        start = text.find(sequence)
        while start >= 0:
            found.append((start, strand))
            start = text.find(sequence, start + 1)
    return found


@given(
    st.lists(st.text("ACGTN", min_size=12, max_size=40), min_size=1, max_size=3),
    st.integers(1, 12),
    st.booleans(),
    st.booleans(),
    st.integers(0, 2**40),
)
def test_perfect_reads_are_substrings_of_the_genome(sequences, length_bp, paired, circular, seed):
    options = SimulateOptions(
        length_bp=length_bp,
        depth=3,
        paired=paired,
        insert_bp=15,
        insert_sd_bp=5,
        sub_rate=0,
        indel_rate=0,
        circular=circular,
        seed=seed,
    )
    records = [(f"r{i}", sequence.encode()) for i, sequence in enumerate(sequences)]
    try:
        outputs = reads_of(records, options)
    except ParameterError:  # no place for reads without N, or for pairs
        outputs = []
    assert outputs or any("N" in sequence for sequence in sequences) or max(map(len, sequences)) < 15
    for reads in outputs:
        for name, bases, qualities in reads:
            assert len(bases) == len(qualities) == length_bp
            assert "N" not in bases
            assert places(dict(records)[name.split("_")[0]], bases.encode(), circular)


def test_number_and_names_of_reads():
    (reads,) = reads_of([("chr1", genome(999))], replace(PERFECT, depth=10))
    assert [name for name, _bases, _qualities in reads] == [f"chr1_{i}" for i in range(1, 201)]
    first, second = reads_of([("chr1", genome(999))], replace(PERFECT, depth=10, paired=True, insert_bp=100))
    assert [read[0] for read in first] == [f"chr1_{i}/1" for i in range(1, 101)]
    assert [read[0] for read in second] == [f"chr1_{i}/2" for i in range(1, 101)]


def test_interleaved_is_both_mates_in_turn():
    options = replace(PERFECT, paired=True, insert_bp=100, sub_rate=0.01, indel_rate=0.01)
    first, second = reads_of([("a", genome(500))], options)
    (both,) = reads_of([("a", genome(500))], options, interleaved=True)
    assert both == [read for pair in zip(first, second, strict=True) for read in pair]


@pytest.mark.parametrize("n_reads", [1, 7, 8, 9, 16, 17])
@tuned(simulated_bases=8 * 50)
def test_blocks_join_without_a_seam(n_reads):
    record = genome(1000)
    (reads,) = reads_of([("a", record)], replace(PERFECT, depth=n_reads / 20))
    assert [read[0] for read in reads] == [f"a_{i + 1}" for i in range(n_reads)]
    assert all(places(record, read[1].encode()) for read in reads)
    assert len({read[1] for read in reads}) == n_reads


@pytest.mark.slow
def test_pairs_face_each_other():
    record = genome(20_000)
    options = replace(PERFECT, depth=30, paired=True, insert_bp=300, insert_sd_bp=30)
    inserts, strands = [], Counter()
    for one, two in zip(*reads_of([("a", record)], options), strict=True):
        ((start, strand),), ((mate_start, mate_strand),) = (places(record, r[1].encode()) for r in (one, two))
        assert strand != mate_strand
        left, right = (start, mate_start) if strand == "+" else (mate_start, start)
        inserts.append(right + 50 - left)
        strands[strand] += 1
    assert min(strands.values()) > 0.45 * len(inserts)
    assert abs(np.mean(inserts) - 300) < 3
    assert abs(np.std(inserts) - 30) < 2


def test_inserts_stay_between_read_and_record():
    options = replace(PERFECT, paired=True, insert_bp=60, insert_sd_bp=100, depth=200)
    inserts = drawing._draw_inserts(np.full(5000, 120), options, Random(1))
    assert inserts.min() >= 50
    assert inserts.max() <= 120
    assert (inserts == 50).mean() < 0.05  # drawn anew, not cut off


@pytest.mark.parametrize("circular", [False, True])
@pytest.mark.parametrize("lengths", [[119], [60, 119, 100]])
def test_an_insert_that_no_record_has_room_for_is_refused(lengths, circular):
    records = [(f"r{n}", genome(n)) for n in lengths]
    options = replace(PERFECT, paired=True, insert_bp=120, circular=circular)
    with pytest.raises(ParameterError, match=r"--insert is 120, and .* record has 119 bases"):
        reads_of(records, options)
    assert reads_of(records, replace(options, paired=False))
    assert reads_of(records, replace(options, insert_bp=119, insert_sd_bp=0))


@pytest.mark.parametrize(
    ("lengths", "insert_bp", "insert_sd_bp", "said"),
    [
        ([5000], 300, 30, []),
        ([5000], 100, 21, []),  # 1 % below the read length
        ([500], 500, 0, []),
        ([100_000, 299, 250], 300, 30, ["records shorter than --insert 300: 2 of 3"]),
        ([5000], 60, 50, ["instead of 60"]),
        ([320], 300, 30, ["instead of 300"]),
        ([900, 200], 300, 0, ["records shorter than --insert 300: 1 of 2", "instead of 300"]),
    ],
)
def test_inserts_that_are_not_as_asked_for_are_warned_of(lengths, insert_bp, insert_sd_bp, said, caplog):
    records = [(f"r{n}", genome(n)) for n in lengths]
    options = replace(
        PERFECT, n_reads=5000, paired=True, insert_bp=insert_bp, insert_sd_bp=insert_sd_bp, truth=True, seed=5
    )
    first, _second = reads_of(records, options)
    messages = [record.getMessage() for record in caplog.records]
    assert len(messages) == len(said)
    assert all(part in message for part, message in zip(said, messages, strict=True))
    starts = np.array([[int(field) for field in name.split("_")[1:3]] for name, _bases, _q in first])
    mean_bp = np.abs(np.diff(starts)).mean() + 50
    found = re.search("their mean is about ([0-9]+) instead", "".join(messages))
    assert mean_bp == pytest.approx(int(found[1]) if found else insert_bp, abs=3)


def test_reads_are_spread_over_records_by_length_and_over_positions():
    records = [("short", genome(2000, 1)), ("long", genome(8000, 2))]
    (reads,) = reads_of(records, replace(PERFECT, depth=100, circular=True))
    counts = Counter(name.split("_")[0] for name, _bases, _qualities in reads)
    assert abs(counts["short"] / len(reads) - 0.2) < 0.02
    starts = [places(records[0][1], r[1].encode(), True)[0] for r in reads if r[0].startswith("short")]
    by_tenth = Counter(start // 200 for start, _strand in starts)
    assert len(by_tenth) == 10
    assert min(by_tenth.values()) > 0.7 * max(by_tenth.values())
    assert 0.45 < sum(strand == "+" for _start, strand in starts) / len(starts) < 0.55


def as_array(reads, column):
    return np.array([list(read[column].encode()) for read in reads])


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.00005, 0.002, 0.03, 0.2])
def test_substitutions_agree_with_rate_and_qualities(rate):
    """The random bits are the same whatever the rates are, so that perfect reads tell the truth."""
    record = [("a", genome(5000))]
    options = replace(PERFECT, length_bp=100, depth=200)
    (truth,), (reads,) = reads_of(record, options), reads_of(record, replace(options, sub_rate=rate))
    wrong = as_array(reads, 1) != as_array(truth, 1)
    phred = as_array(reads, 2) - 33
    assert abs(wrong.mean() - rate) < 5 * np.sqrt(rate / wrong.size)
    for q, probability in zip(PHRED, ERROR_PROBABILITY, strict=True):
        n = (phred == q).sum()
        if rate >= ERROR_PROBABILITY[0] and n:
            expected = float(probability)
            assert abs(wrong[phred == q].mean() - expected) < 5 * np.sqrt(expected / n)
    assert set(phred.ravel()) <= set(PHRED)
    if rate >= 0.002:
        assert wrong[:, :50].mean() < wrong[:, 50:].mean()
        assert phred[:, :50].mean() > phred[:, 50:].mean()


def test_each_other_base_is_as_likely():
    record = [("a", b"A" * 1000)]
    (reads,) = reads_of(record, replace(PERFECT, depth=100, sub_rate=0.02))
    found = Counter("".join(bases for _name, bases, _q in reads))
    others = [found[base] for base in "CG"]  # A read backwards is T
    assert min(others) > 0.8 * max(others)


@pytest.mark.parametrize("options", [{}, {"circular": True}, {"paired": True, "insert_bp": 120}])
def test_reads_cover_no_n(options):
    record = b"N" * 60 + genome(200) + b"N" * 30 + genome(52, 2) + b"NACGTN" + genome(300, 3)
    options = replace(PERFECT, depth=200, indel_rate=0.02, **options)
    for reads in reads_of([("gap", b"N" * 90), ("a", record)], options):
        assert not any("N" in bases for _name, bases, _q in reads)
        assert {name.split("_")[0] for name, _bases, _q in reads} == {"a"}
    (first, *_) = reads_of([("a", record)], replace(options, indel_rate=0))
    starts = [places(record, bases.encode(), options.circular)[0][0] for _name, bases, _q in first]
    clear = [i for i in range(len(record) - 49) if b"N" not in record[i : i + 50]]
    assert set(starts) <= set(clear)
    assert len(set(starts)) > 0.9 * len(clear)


def test_single_reads_are_spread_evenly_between_gaps():
    record = genome(100) + b"N" * 1000 + genome(349, 2)
    (reads,) = reads_of([("a", record)], replace(PERFECT, n_reads=7020))
    counts = Counter(places(record, bases.encode())[0][0] for _name, bases, _q in reads)
    assert len(counts) == 51 + 300
    assert sum(n for start, n in counts.items() if start < 100) == pytest.approx(7020 * 51 / 351, rel=0.1)


def test_depth_is_of_known_bases():
    (reads,) = reads_of([("a", genome(1000) + b"N" * 5000)], replace(PERFECT, depth=10))
    assert len(reads) == 200


@pytest.mark.parametrize(
    ("record", "options", "message"),
    [
        (b"N" * 200, {}, "no record has 50 bases in a row without N"),
        ((genome(49) + b"N") * 9, {"circular": True}, "no record has 50 bases"),
        (genome(60) + b"N" * 500, {"paired": True, "insert_bp": 300, "insert_sd_bp": 1}, "hardly any pair"),
    ],
)
def test_a_reference_without_reads_is_refused(record, options, message):
    with pytest.raises(ParameterError, match=message):
        reads_of([("a", record)], replace(PERFECT, **options))


IUPAC = {
    "R": "AG",
    "Y": "CT",
    "S": "CG",
    "W": "AT",
    "K": "GT",
    "M": "AC",
    "B": "CGT",
    "D": "AGT",
    "H": "ACT",
    "V": "ACG",
}


@pytest.mark.parametrize("indel_rate", [0, 0.05])
def test_letters_of_several_bases_are_read_as_any_of_them(indel_rate):
    left, right = genome(60, 1).decode(), genome(60, 2).decode()
    for letter, bases in IUPAC.items():
        record = (left + letter + right).encode()
        (reads,) = reads_of([("a", record)], replace(PERFECT, depth=400, indel_rate=indel_rate))
        context = Counter(
            found[8]
            for _name, text, _q in reads
            for strand in (text, reverse_complement(text.encode()).decode())
            for found in re.findall(f"{left[-8:]}.{right[:8]}", strand)
        )
        for base in set(context) - set(bases):  # an insertion beside a deletion
            assert indel_rate > 0
            assert context.pop(base) < 0.02 * len(reads)
        assert set(context) == set(bases)
        assert min(context.values()) > 0.6 * sum(context.values()) / len(bases)


def test_mates_read_the_same_base_of_a_fragment():
    record = (genome(100, 1).decode() + "R" + genome(100, 2).decode()).encode()
    options = replace(PERFECT, depth=300, paired=True, insert_bp=50, insert_sd_bp=0)
    for (_, one, _), (_, two, _) in zip(*reads_of([("a", record)], options), strict=True):
        assert one == reverse_complement(two.encode()).decode()


def test_u_is_read_as_t():
    (reads,) = reads_of([("a", b"U" * 60)], PERFECT)
    assert {bases for _name, bases, _q in reads} <= {"T" * 50, "A" * 50}


@pytest.mark.parametrize("paired", [False, True])
def test_number_of_reads_is_of_reads_or_pairs(paired):
    for reads in reads_of([("a", genome(999))], replace(PERFECT, n_reads=123, paired=paired, insert_bp=100)):
        assert len(reads) == 123


@pytest.mark.parametrize("circular", [False, True])
@pytest.mark.parametrize("paired", [False, True])
def test_names_tell_the_origin(circular, paired):
    records = {"a_b": genome(300, 1), "c": genome(90, 2)}
    options = replace(PERFECT, truth=True, circular=circular, paired=paired, insert_bp=70, insert_sd_bp=5)
    outputs = reads_of(list(records.items()), options)
    numbers = []
    for mate, reads in enumerate(outputs):
        for name, bases, _q in reads:
            fields = name.removesuffix(f"/{mate + 1}").rsplit("_", 9)
            record, *starts, strand_1, strand_2, none_1, none_2, errors_1, errors_2, number = fields
            start, strand = int(starts[mate]), (strand_1, strand_2)[mate]
            assert (start - 1, "+-"[int(strand)]) in places(records[record], bases.encode(), circular)
            assert (none_1, none_2, errors_1, errors_2) == ("0", "0", "0:0:0", "0:0:0")
            assert paired or (starts[1], strand_2) == ("0", "0")
            numbers.append(int(number))
    assert numbers == list(range(1, len(outputs[0]) + 1)) * len(outputs)


def test_names_count_errors():
    options = replace(PERFECT, truth=True, sub_rate=0.05, n_reads=300)
    record = genome(500)
    (reads,) = reads_of([("a", record)], options)
    for name, bases, _q in reads:
        fields = name.split("_")
        start, errors = int(fields[1]) - 1, [int(n) for n in fields[7].split(":")]
        true = record[start : start + 50]
        true = reverse_complement(true) if fields[3] == "1" else true
        assert errors == [sum(a != b for a, b in zip(true, bases.encode(), strict=True)), 0, 0]


def test_names_of_reads_with_indels_have_the_leftmost_base():
    record = genome(4000)
    (reads,) = reads_of([("a", record)], replace(PERFECT, truth=True, indel_rate=0.01, n_reads=500))
    n_indels = 0
    for name, bases, _q in reads:
        fields = name.split("_")
        start = int(fields[1]) - 1
        forward = reverse_complement(bases.encode()) if fields[3] == "1" else bases.encode()
        counted = int(fields[7].split(":")[2])
        n_indels += counted
        if not counted:
            assert record[start : start + 50] == forward
        elif counted == 1 and start >= 1:
            near = [record[start + i : start + i + 20] for i in (0, 1)]
            assert (
                forward[:20] in near
                or forward[1:21] in near
                or forward[:10] == record[start : start + 10]
                or (forward[-10:] in record[start + 30 : start + 52])
            )
    assert n_indels / len(reads) == pytest.approx(0.5, rel=0.2)


@given(st.data())
def test_indels_are_what_reading_base_by_base_gives(data):
    record = data.draw(st.text("ACGT", min_size=6, max_size=15))
    length = data.draw(st.integers(1, 6))
    circular, reverse = data.draw(st.booleans()), data.draw(st.booleans())
    first = data.draw(st.integers(0, len(record) - 1))
    assume(circular or length <= (first + 1 if reverse else len(record) - first))
    events = data.draw(st.lists(st.sampled_from(["", "-", *"ACGT"]), min_size=length, max_size=length))
    options = replace(PERFECT, length_bp=length, circular=circular)
    reads = Reads(np.array([0]), np.array([first]), np.array([reverse]))
    choice = ["ACGT".index(event) << 14 | 1 if event in "ACGT" and event else 0 for event in events]
    choice_bits = np.array([choice], dtype=np.uint16)
    loaded = load_genome([("a", record.encode())], options)
    indels = np.array([[event != "" for event in events]])
    steps, inserted = sequencing._steps(loaded, reads, indels, choice_bits, circular)
    codes = sequencing._read_shifted(loaded, reads, np.array([1]), steps, inserted, choice_bits)
    assert "".join("ACGTN"[c] for c in codes[0]) == naive.read_shifted(record, first, reverse, circular, events)


def test_indels_are_as_frequent_as_asked_for():
    record = [("a", b"AC" * 2500)]
    (reads,) = reads_of(record, replace(PERFECT, depth=400, indel_rate=0.001))
    texts = [bases for _name, bases, _q in reads]
    pure = [text for text in texts if text in ("AC" * 26) or text in ("GT" * 26)]
    assert abs(1 - len(pure) / len(texts) - 50 * 0.001) < 0.01
    assert {len(text) for text in texts} == {50}


def test_reads_as_long_as_their_record():
    (reads,) = reads_of([("a", genome(50))], replace(PERFECT, indel_rate=0.3))
    assert {len(bases) for _name, bases, _q in reads} == {50}


def test_a_seed_tells_it_all():
    record, options = [("a", genome(500))], replace(PERFECT, sub_rate=0.01)
    assert reads_of(record, options) == reads_of(record, options)
    assert reads_of(record, options) != reads_of(record, replace(options, seed=2))


def test_genome_without_records():
    with pytest.raises(FormatError, match="the genome holds no sequence"):
        load_genome([], PERFECT)


def test_record_shorter_than_a_read():
    with pytest.raises(ParameterError, match=r"record b: its 49 bases are fewer than the 50 of a read"):
        load_genome([("a", genome(50)), ("b", genome(49))], PERFECT)


@pytest.mark.parametrize(
    "wrong",
    [
        {"length_bp": 0}, {"depth": 0}, {"depth": -1}, {"depth": float("nan")}, {"depth": float("inf")},
        {"sub_rate": -0.1}, {"sub_rate": 1.1}, {"sub_rate": float("nan")}, {"indel_rate": 2},
        {"sub_rate": 0.6, "indel_rate": 0.6}, {"paired": True, "length_bp": 150, "insert_bp": 149},
        {"insert_sd_bp": -1}, {"insert_sd_bp": float("nan")}, {"seed": -1},
    ],
)  # fmt: skip
def test_parameters_that_cannot_work(wrong):
    with pytest.raises(ParameterError):
        SimulateOptions(**wrong)


@given(st.integers(1, 200), st.floats(0, 1), st.floats(0, 1))
def test_rates_are_those_that_are_asked_for(length_bp, sub_rate, indel_share):
    """Indels take what substitutions leave of 32 random bits, at each position and in each bin that occurs there."""
    indel_rate = indel_share * (1 - sub_rate)
    model = quality_model(length_bp, sub_rate, indel_rate)
    limits = np.vstack([np.zeros(length_bp), model.bin_limits, np.full(length_bp, 65536)]) / 65536
    errors = model.error_limits.reshape(length_bp, N_BINS).T / 2**32
    assert np.isclose((np.diff(limits, axis=0) * errors).sum(axis=0).mean(), sub_rate, atol=2e-5)
    assert (errors[np.diff(limits, axis=0) > 0] <= 1 - indel_rate + 1e-9).all()


@pytest.mark.parametrize(("sub_rate", "indel_rate"), [(1, 0), (0.8, 0), (0.5, 0.5), (0.1, 0.6)])
def test_reads_have_the_rates_that_are_asked_for(sub_rate, indel_rate):
    options = replace(
        PERFECT, length_bp=100, n_reads=500, sub_rate=sub_rate, indel_rate=indel_rate, truth=True, circular=True
    )
    (reads,) = reads_of([("a", genome(5000))], options)
    errors = np.array([[int(n) for n in name.split("_")[7].split(":")] for name, _bases, _q in reads])
    assert errors.mean(axis=0) / 100 == pytest.approx([sub_rate, 0, indel_rate], abs=0.01)


@given(st.integers(1, 200), st.floats(0, 0.3))
def test_qualities_explain_the_rates(length_bp, rate):
    """Shares of the bins times their errors are the rate at each position, to 16 bits."""
    model = quality_model(length_bp, rate)
    limits = np.vstack([np.zeros(length_bp), model.bin_limits, np.full(length_bp, 65536)]) / 65536
    errors = model.error_limits.reshape(length_bp, N_BINS).T / 2**32
    assert (np.diff(limits, axis=0) >= 0).all()
    rates = [float(r) for r in error_rates(length_bp, rate)]
    assert np.allclose((np.diff(limits, axis=0) * errors).sum(axis=0), rates, atol=2e-5)
    assert np.isclose(np.mean(rates), rate)
    assert rates == sorted(rates)
