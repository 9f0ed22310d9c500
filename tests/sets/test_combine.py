"""Operations on sets, range by range: equal to dictionaries, whatever the ranges, threads and memory."""

from __future__ import annotations

import io
import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu import backends
from debruijn_gpu.errors import OptionValueError, ParameterError, UsageError
from debruijn_gpu.io.kmer_sets.reading import KmerSetFile
from debruijn_gpu.io.kmer_sets.writing import SetWriter
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.tuning import tuned
from debruijn_gpu.sets import ranges
from debruijn_gpu.sets.combine import combine_sets, count_frequencies, shared_kmers
from debruijn_gpu.sets.compare import Comparison
from debruijn_gpu.sets.expression import parse_expression
from debruijn_gpu.sets.options import COUNT_RULES, OPERATIONS, CombineOptions, CountLimits, check_named, split_name
from debruijn_gpu.sets.source import HeldKmers
from tests.helpers import kmers_of, table_of
from tests.naive import kmer_sets as naive

K = 4
RUN = RunOptions(threads=2)
SETS = st.lists(
    st.dictionaries(st.text("ACGT", min_size=K, max_size=K), st.integers(1, 9), max_size=30), min_size=1, max_size=4
)


def stored(counts, k=K, block_kmers=3, name="x"):
    """A set in a file with small blocks."""
    stream = io.BytesIO()
    table = table_of(counts, k)
    writer = SetWriter(stream, k, True, block_kmers)
    writer.add(table.codes, table.counts)
    writer.finish()
    return KmerSetFile(name, np.frombuffer(stream.getvalue(), np.uint8))


def combined(sets, program, run=RUN):
    found = {}
    for codes, counts in combine_sets(sets, program, run, backends.host()):
        found |= dict(zip(kmers_of(codes, sets[0].k), counts.tolist(), strict=True))
    assert list(found) == sorted(found)
    return found


def expected(operation, sets, rule=None):
    if operation in ("subtract", "difference"):
        found = sets[0]
        for other in sets[1:]:
            found = naive.apply(operation, "diff", found, other)
        return naive.capped(found)
    if operation == "symmetric":
        return naive.over_all(sets, "sum", 1, 1)
    rule = rule or {"union": "sum", "intersect": "min"}[operation]
    return naive.over_all(sets, rule, 1 if operation == "union" else len(sets), len(sets))


@given(SETS, st.sampled_from(OPERATIONS), st.sampled_from([1, 5, 1000]), st.sampled_from([1, 2]))
def test_operations_equal_dictionaries_whatever_the_ranges(sets, operation, n_range, threads):
    program = CombineOptions(operation=operation).program(len(sets))
    with pytest.MonkeyPatch.context() as patch, tuned(range_kmers=n_range):
        patch.setattr(ranges, "_KMERS_OF_SET", 1)
        found = combined([stored(one) for one in sets], program, replace(RUN, threads=threads))
        held = combined([HeldKmers("x", table_of(one, K)) for one in sets], program)
    assert found == held == expected(operation, sets)


@given(SETS, st.sampled_from(COUNT_RULES), st.data())
def test_rules_and_numbers_of_sets(sets, rule, data):
    least = data.draw(st.integers(1, len(sets)))
    opened = [stored(one) for one in sets]
    program = CombineOptions(count=rule, at_least=least).program(len(sets))
    assert combined(opened, program) == naive.over_all(sets, rule, least, len(sets))
    program = CombineOptions(operation="intersect", count=rule, exactly=least).program(len(sets))
    assert combined(opened, program) == naive.over_all(sets, rule, least, least)


def test_ranges_cover_all_codes_once():
    sets = [stored(dict.fromkeys(("AAAA", "ACGT", "CCCC", "GATC", "TTTT"), 1), block_kmers=1) for _ in range(2)]
    found = ranges.split_codes(sets, 3)
    assert found[0][0] == 0
    assert found[-1][1] == 4**K
    assert all(one[1] == other[0] for one, other in itertools.pairwise(found))
    assert len(found) == 4


def test_different_sets_are_refused():
    program = CombineOptions().program(2)
    with pytest.raises(ParameterError, match="y: k is 3, and that of x is 4"):
        combined([stored({}), stored({"AAA": 1}, 3, name="y")], program)
    forward = HeldKmers("y", replace(table_of({}, K), canonical=False))
    with pytest.raises(ParameterError, match="x holds canonical k-mers, and y holds k-mers as read"):
        combined([stored({}), forward], program)


@given(SETS)
def test_frequencies_and_shared_kmers(sets):
    opened = [stored(one) for one in sets]
    counts = list(sets[0].values())
    assert count_frequencies(opened[0], RUN, backends.host()) == {n: counts.count(n) for n in sorted(set(counts))}
    shared = shared_kmers(opened, RUN, backends.host())
    assert shared.tolist() == [[len(a.keys() & b.keys()) for b in sets] for a in sets]


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("a", lambda a, b, c: a),
        ("(a + b) * c", lambda a, b, c: op("intersect", "min", op("union", "sum", a, b), c)),
        ("a + b * c", lambda a, b, c: op("union", "sum", a, op("intersect", "min", b, c))),
        ("a - b - c", lambda a, b, c: op("subtract", "sum", op("subtract", "sum", a, b), c)),
        ("a - (b ~ c)", lambda a, b, c: op("subtract", "sum", a, op("difference", "sum", b, c))),
        ("a*max b+left(c)", lambda a, b, c: op("union", "left", op("intersect", "max", a, b), c)),
        ("a * a ~ b", lambda a, b, c: op("difference", "sum", op("intersect", "min", a, a), b)),
        ("a + diff b", lambda a, b, c: op("union", "diff", a, b)),
    ],
)
def test_expressions_have_the_precedence_of_kmc(text, steps):
    sets = {
        "a": {"AAAA": 5, "AAAC": 2, "AACC": 1},
        "b": {"AAAA": 3, "AAAC": 4, "CCCC": 7},
        "c": {"AAAA": 1, "CCCC": 9, "AACC": 3},
    }
    used = {name: one for name, one in sets.items() if name in text.replace("max", "").replace("left", "")}
    program = parse_expression(text, {name: i for i, name in enumerate(used)})
    assert combined([stored(one) for one in used.values()], program) == naive.capped(steps(*sets.values()))


op = naive.apply


def test_a_set_may_be_called_like_a_rule():
    program = parse_expression("min + max", {"min": 0, "max": 1})
    assert combined([stored({"AAAA": 1}), stored({"AAAA": 2})], program) == {"AAAA": 3}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "character 1: a set is expected"), ("a +", "a set is expected"), ("a b", "'b' is not expected"),
        ("(a + b", "closing parenthesis"), ("a + x", "no set x"), ("a & b", "'&' is no operator"),
        ("a - max b", "takes no rule"), ("a", "does not use b"), (")", "a set is expected"),
        ("(" * 300 + "a" + ")" * 300, "too many parentheses"),
    ],
)  # fmt: skip
def test_wrong_expressions_are_refused(text, what):
    with pytest.raises(UsageError, match=what):
        parse_expression(text, {"a": 0, "b": 1})


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"operation": "subtract", "count": "max"}, UsageError),
        ({"operation": "symmetric", "at_least": 2}, UsageError),
        ({"at_least": 1, "exactly": 1}, UsageError), ({"count": "mean"}, UsageError),
        ({"at_least": 0}, OptionValueError), ({"min_count": 3, "max_count": 2}, UsageError),
        ({"min_count": 0}, OptionValueError),
    ],
)  # fmt: skip
def test_wrong_options_are_refused(options, error):
    with pytest.raises(error):
        CombineOptions(**options)


def test_more_sets_than_given_are_refused():
    with pytest.raises(ParameterError, match="--at-least is 3, and there are 2 sets"):
        CombineOptions(at_least=3).program(2)


def test_limits_of_expressions():
    program = parse_expression("a + b", {"a": 0, "b": 1}, CountLimits(min_count=3, max_count=5))
    sets = [stored({"AAAA": 1, "CCCC": 3, "GGGG": 6}), stored({"AAAA": 1, "CCCC": 2})]
    assert combined(sets, program) == {"CCCC": 5}


def test_measures_of_two_sets():
    found = Comparison(("a", "b"), 21, np.array([[100, 60], [60, 80]]))
    assert str(found.value("jaccard", 0, 1)) == "0.500000"
    assert (str(found.value("containment", 0, 1)), str(found.value("containment", 1, 0))) == ("0.600000", "0.750000")
    assert float(found.value("mash", 0, 1)) == pytest.approx(-np.log(2 / 3) / 21, abs=1e-6)
    assert float(found.value("ani", 1, 0)) == pytest.approx(0.75 ** (1 / 21), abs=1e-6)
    assert [str(found.value(measure, 0, 0)) for measure in ("jaccard", "mash", "ani", "shared")] == [
        "1.000000", "0.000000", "1.000000", "100",
    ]  # fmt: skip


@pytest.mark.parametrize("shared", [[[0, 0], [0, 5]], [[5, 0], [0, 5]]])
def test_measures_of_sets_that_share_nothing(shared):
    found = Comparison(("a", "b"), 21, np.array(shared))
    values = [str(found.value(measure, 0, 1)) for measure in ("jaccard", "containment", "ani", "shared")]
    assert values == ["0.000000", "0.000000", "0.000000", "0"]
    assert str(found.value("mash", 0, 1)) == "1.000000"


def test_names_of_sets():
    assert split_name("a=x.dbgk") == ("a", "x.dbgk")
    assert split_name("dir=1/x.dbgk") == ("dir", "1/x.dbgk")
    assert split_name("dir/a=1.dbgk") == ("", "dir/a=1.dbgk")
    assert split_name("x.dbgk") == ("", "x.dbgk")
    with pytest.raises(OptionValueError):
        split_name("=x")
    with pytest.raises(ParameterError, match="two sets are called a"):
        check_named(("a", "b", "a"))
