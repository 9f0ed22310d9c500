"""Tests of the constants of the algorithms."""

from __future__ import annotations

import re

import pytest

from debruijn_gpu.run.parallel import in_background, ordered_map
from debruijn_gpu.run.tuning import Tuning, tuned, tuning


def test_changes_end_with_their_context():
    before = tuning()
    with tuned(few_edges=1):
        with tuned(long_row=2):
            assert (tuning().few_edges, tuning().long_row) == (1, 2)
        assert (tuning().few_edges, tuning().long_row) == (1, Tuning().long_row)
    assert tuning() is before


def test_changes_end_with_an_error():
    before = tuning()
    with pytest.raises(ZeroDivisionError), tuned(few_edges=1):
        raise ZeroDivisionError
    assert tuning() is before


def test_threads_see_the_constants_of_their_caller():
    with tuned(few_edges=5):
        assert list(ordered_map(lambda _: tuning().few_edges, range(4), 2)) == [5] * 4
        assert list(in_background(tuning().few_edges for _ in range(2))) == [5, 5]


def test_unknown_names_are_an_error():
    with pytest.raises(TypeError, match="few_edgse"), tuned(few_edgse=1):
        pass


def test_every_field_is_documented():
    headings = re.findall(r"^    ([\w, ]+) : (?:int|float)$", Tuning.__doc__ or "", re.MULTILINE)
    assert [name for heading in headings for name in heading.split(", ")] == list(Tuning.__dataclass_fields__)
