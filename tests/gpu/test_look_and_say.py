"""Look-and-say on the GPU at sizes that the simulator does not take."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.sequences.look_and_say import length_after, term_after

pytestmark = pytest.mark.gpu

BEYOND = (1 << 31) + 11
ONE = np.frombuffer(b"1", np.uint8)


def test_terms_are_those_of_the_cpu(cuda):
    for n_steps in (1, 20, 45, 62):
        found = cuda.to_host(term_after(cuda.to_device(ONE), n_steps, cuda))
        np.testing.assert_array_equal(found, term_after(ONE, n_steps, CPU))


def test_seventy_steps(cuda):
    assert length_after(cuda.to_device(ONE), 70, cuda) == 234_241_786


@pytest.mark.whole_gpu
def test_one_run_beyond_32_bits(cuda):
    """The table of tiles without a beginning is walked through; and nothing overflows."""
    import cupy

    term = cupy.full(BEYOND, ord("7"), np.uint8)
    assert cuda.to_host(cuda.sequences.say_term(cuda.sequences.look_at_term(term))).tobytes() == b"%d7" % BEYOND
    term[BEYOND - 2] = ord("3")
    assert cuda.to_host(cuda.sequences.say_term(cuda.sequences.look_at_term(term))).tobytes() == b"%d71317" % (
        BEYOND - 2
    )


@pytest.mark.whole_gpu
def test_what_is_said_beyond_32_bits(cuda):
    import cupy

    term = cupy.empty(BEYOND, np.uint8)
    term[0::2], term[1::2] = ord("1"), ord("2")
    read = cuda.sequences.look_at_term(term)
    assert read.n_said == 2 * BEYOND
    said = cuda.sequences.say_term(read)
    for at in (0, (1 << 31) - 2, 1 << 32, 2 * BEYOND - 4):
        assert cuda.to_host(said[at : at + 4]).tobytes() == (b"1112" if at // 2 % 2 == 0 else b"1211")
    assert bool((said[0::2] == ord("1")).all())
    np.testing.assert_array_equal(cuda.to_host((said[1::2] == term).all()), True)
