"""Look-and-say, on each backend."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.backends.core.detection import is_simulated
from tests.naive import look_and_say as naive

pytestmark = pytest.mark.cuda

some = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
MOST = 120 if is_simulated() else 3000
#: Runs of digits: most are short, as after a step, some are long
runs = st.tuples(st.sampled_from("1239"), st.one_of(st.integers(1, 3), st.sampled_from([9, 10, 11, 20, 66, 99, 100])))
terms = st.lists(runs, min_size=1, max_size=60).map(lambda pairs: "".join(d * n for d, n in pairs)[:MOST])


def said(backend, term):
    """What a backend says of a text; it must know before how much that is."""
    read = backend.sequences.look_at_term(backend.to_device(np.frombuffer(term.encode(), np.uint8)))
    found = backend.to_host(backend.sequences.say_term(read))
    assert found.dtype == np.uint8
    assert len(found) == read.n_said
    return found.tobytes().decode()


@some
@given(term=terms)
def test_terms(backend, term):
    assert said(backend, term) == naive.say(term)


@some
@given(term=st.text("0123456789", min_size=1, max_size=40))
def test_all_digits(backend, term):
    assert said(backend, term) == naive.say(term)


@pytest.mark.parametrize("length", [1, 2, 9, 10, 15, 17, 65, 128])
def test_one_run(backend, length):
    for before, behind in (("", ""), ("1", ""), ("", "1"), ("21", "12")):
        term = (before + "7" * length)[: 128 - len(behind)] + behind
        assert said(backend, term) == naive.say(term)


def test_nothing(backend):
    assert said(backend, "") == ""


@pytest.mark.skipif(is_simulated(), reason="many digits")
def test_large_terms(backend):
    """Intervals of several threads, and blocks of many; the second has runs that are as long as these."""
    generator = np.random.default_rng(1)
    short = "".join(generator.choice(["1", "2", "3", "22", "333"], 200_000))
    lengths = generator.integers(1, 50_000, 40)
    long = "".join("12"[i % 2] * n for i, n in enumerate(lengths.tolist()))
    for term in (short, long, long[:9] + short + long + short, "5" * 1_000_000, "5" * 999_999 + "6"):
        assert said(backend, term) == naive.say(term)


@pytest.mark.skipif(is_simulated(), reason="many digits")
def test_steps(backend):
    term = "1"
    for _ in range(35):
        found = said(backend, term)
        assert found == naive.say(term)
        term = found
