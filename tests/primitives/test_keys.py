"""Key columns as users write them."""

from __future__ import annotations

import pytest

from debruijn_gpu.errors import UsageError
from debruijn_gpu.primitives.keys import Key, parse_column, parse_keys, parse_sort_keys
from debruijn_gpu.primitives.options import Condition, parse_condition


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("1", [Key(0)]),
        ("3,1r", [Key(2), Key(0, True)]),
        ("2t,1nr", [Key(1, is_text=True), Key(0, True, False)]),
        ("1rt", [Key(0, True, True)]),
        ("1,1", [Key(0), Key(0)]),
    ],
)
def test_lists(text, keys):
    assert parse_keys(text) == tuple(keys)


def test_all_keys_are_reversed_and_numeric():
    assert parse_keys("1,2r,3t", reverse=True, numeric=True) == (
        Key(0, True, False),
        Key(1, True, False),
        Key(2, True, True),
    )


@pytest.mark.parametrize("text", ["", "0", "x", "1,", "1 2", "-1", "1x", "1nt", "1,2,2r", "2,2nr", "9" * 30, "1.2"])
def test_what_is_no_list_is_refused(text):
    with pytest.raises(UsageError, match="--key"):
        parse_keys(text)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("2", Key(1)),
        ("2,2", Key(1)),
        ("2r", Key(1, True)),
        ("2nr", Key(1, True, False)),
        ("2,2nr", Key(1, True, False)),
        ("2nr,2", Key(1, True, False)),
        ("2n,2r", Key(1, True, False)),
        ("2,2g", Key(1, False, False)),
        ("2b,2", Key(1)),
        ("2,2t", Key(1, False, True)),
    ],
)
def test_keys_of_coreutils(text, key):
    assert parse_sort_keys([text]) == (key,)


def test_keys_with_flags_do_not_take_those_of_all_keys():
    assert parse_sort_keys(["1", "2n", "3r", "4b"], reverse=True, numeric=True) == (
        Key(0, True, False),
        Key(1, False, False),
        Key(2, True),
        Key(3),
    )


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("2,3", "-k 2,2 -k 3,3, or --key 2,3"),
        ("2,3nr", "-k 2,2nr -k 3,3nr, or --key 2,3nr"),
        ("1,2r", "--key 1,2r"),
        ("3,2", "one column"),
        ("1.2,1.4", "without positions"),
        ("1,2,3", "-k once per column"),
        ("2d", "n: numbers"),
        ("2V", "n: numbers"),
        ("2nt", "one of n and t"),
        ("0", "a column from 1"),
        ("", "a column from 1"),
        ("x", "a column from 1"),
    ],
)
def test_other_keys_of_coreutils_are_refused_with_a_hint(text, hint):
    with pytest.raises(UsageError) as caught:
        parse_sort_keys([text])
    assert hint in caught.value.fix


def test_order_is_refused_where_nothing_is_sorted():
    with pytest.raises(UsageError, match="does not sort"):
        parse_sort_keys(["1r"], may_descend=False)
    with pytest.raises(UsageError, match="not a column"):
        parse_keys("1r", may_descend=False)


def test_one_column():
    assert [parse_column(text) for text in ("2", "2n", "2,2", "2,2n", "2n,2")] == [1] * 5
    for text in ("1,2", "2r", "2t", "0", "2,3n"):
        with pytest.raises(UsageError):
            parse_column(text)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("nonzero", Condition("nonzero")),
        (">5", Condition(">", 5)),
        (" >= 5", Condition(">=", 5)),
        ("<=-2.5", Condition("<=", -2.5)),
        ("10:20", Condition(">=", 10, 20)),
        ("-2 : 1e3", Condition(">=", -2, 1e3)),
        ("10:", Condition(">=", 10)),
        (":20", Condition("<=", 20)),
        ("3:3", Condition(">=", 3, 3)),
    ],
)
def test_conditions(text, condition):
    assert parse_condition(text) == condition


@pytest.mark.parametrize("text", [":", "", "5", "=5", "=>5", "1:2:3", "a:b", "1:x", "2:1", "nan:1", "1-2", "1..2"])
def test_what_is_no_condition_is_refused(text):
    with pytest.raises(UsageError, match="condition"):
        parse_condition(text)
