from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.errors import FormatError, OutOfMemoryError, ParameterError
from debruijn_gpu.sequences.symbols import code_dtype, numbered_symbols, parse_symbols
from debruijn_gpu.sequences.verify import MOST_MISSING, verify
from tests.helpers import n_examples
from tests.naive import windows as naive

pytestmark = pytest.mark.cuda

some = settings(
    deadline=None,
    max_examples=10 if is_simulated() else n_examples(150),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def greedy(k, n):
    """The de Bruijn sequence in which the largest symbol follows that makes a new window (Martin 1934)."""
    codes, seen = [0] * n, {(0,) * n}
    while len(codes) < k**n + n - 1:
        codes.append(next(c for c in range(k - 1, -1, -1) if (*codes, c)[len(codes) - n + 1 :] not in seen))
        seen.add(tuple(codes[-n:]))
    return codes[: k**n]


def blocks_of(codes, k, cuts=(), n_bits=0):
    """What `verify` takes: the codes cut at places; packed, at places of whole bytes."""
    array = naive.pack(codes, n_bits) if n_bits else np.array(codes, code_dtype(k))
    edges = [0, *sorted(min(cut, len(array)) for cut in cuts), len(array)]
    return lambda: (array[i:j] for i, j in pairwise(edges))


def check(verification, codes, k, n, linear):
    """Compare with brute force."""
    windows = naive.windows_of(codes, n, linear)
    repeat = naive.first_repeat(windows)
    missing = sorted({naive.number_of(window, k) for window in windows} ^ set(range(k**n)))
    assert verification.n_read == len(codes)
    assert (verification.repeat is None) == (repeat is None)
    if repeat is not None:
        assert (verification.repeat.position, verification.repeat.earlier) == repeat
        assert tuple(verification.repeat.window.tolist()) == windows[repeat[0]]
    assert verification.n_missing == len(missing)
    assert [naive.number_of(word.tolist(), k) for word in verification.missing] == missing[:MOST_MISSING]
    assert verification.ok == (len(windows) == k**n and not missing)
    assert verification.describe(numbered_symbols(k)).startswith("yes" if verification.ok else "no: ")


@some
@given(
    size=st.sampled_from([(2, 1), (2, 2), (2, 5), (3, 3), (4, 2), (10, 1), (300, 1)]),
    linear=st.booleans(),
    changes=st.lists(st.tuples(st.sampled_from(["set", "drop", "add"]), st.integers(0, 40), st.integers(0, 9))),
    cuts=st.lists(st.integers(0, 40), max_size=6),
)
def test_verification(backend, size, linear, changes, cuts):
    k, n = size
    codes = greedy(k, n)
    codes += codes[: n - 1] if linear else []
    for kind, place, code in changes:
        at = min(place, len(codes))
        codes[at : at + (kind != "add")] = [code % k] if kind != "drop" else []
    if not codes and not linear:
        return
    check(verify(blocks_of(codes, k, cuts), k, n, linear, backend, 1 << 20), codes, k, n, linear)


@some
@given(
    size=st.sampled_from([(2, 3), (2, 5), (2, 1), (4, 2), (4, 3), (4, 1), (3, 1), (3, 3)]),
    wide=st.booleans(),
    linear=st.booleans(),
    change=st.none() | st.integers(0, 30),
    cuts=st.lists(st.integers(0, 8), max_size=4),
)
def test_packed_sequences(backend, size, wide, linear, change, cuts):
    """Of the right length, which is not one of whole bytes, or too long; of all symbols of 2 bits, or fewer."""
    k, n = size
    n_bits = 2 if k > 2 or wide else 1
    codes = greedy(k, n)
    codes += codes[: n - 1] if linear else []
    if change is not None:
        at = min(change, len(codes) - 1)
        codes[at] = (codes[at] + 1) % k
    check(verify(blocks_of(codes, k, cuts, n_bits), k, n, linear, backend, n_bits=n_bits), codes, k, n, linear)
    longer = [*codes, *[0] * (-len(codes) % (8 // n_bits)), *codes[: 8 // n_bits]]
    longer += [0] * (-len(longer) % (8 // n_bits))
    check(verify(blocks_of(longer, k, cuts, n_bits), k, n, linear, backend, n_bits=n_bits), longer, k, n, linear)


def test_that_a_linear_sequence_ends_as_it_begins_follows(backend):
    """All linear sequences of all windows over small alphabets, by brute force."""
    for k, n in [(2, 2), (2, 3), (3, 2)]:
        stack = [[i // k**j % k for j in range(n)] for i in range(k**n)]
        n_found = 0
        while stack:
            codes = stack.pop()
            if len(codes) == k**n + n - 1:
                n_found += 1
                assert codes[: n - 1] == codes[len(codes) - n + 1 :]
                continue
            seen = set(naive.windows_of(codes, n))
            stack += [[*codes, c] for c in range(k) if tuple([*codes, c][-n:]) not in seen]
        assert n_found


def test_lines(backend):
    codes = greedy(2, 4)
    dna = parse_symbols("AC")

    def line(codes, n=4, linear=False):
        return verify(blocks_of(codes, 2), 2, n, linear, backend).describe(dna)

    assert line(codes) == "yes: each of the 16 words of 4 symbols is there once"
    assert line([0, 1], 1) == "yes: each of the 2 words of 1 symbol is there once"
    assert line([*codes[:-1], 0]) == "no: AAAA at 14 was at 0 before; 2 words are missing: ACAC, CACA"
    assert line(codes + codes[:3]).startswith("no: 19 symbols, not 16 (a linear one has so many); AAAA at 16 was at 0")
    assert line(codes, linear=True) == (
        "no: 16 symbols, not 19 (a cyclic one has so many); 3 words are missing: ACAA, CAAA, CACA"
    )
    assert line([]) == "no: 0 symbols, not 16; 16 words are missing: AAAA, AAAC, AACA, AACC, ACAA, ..."


@pytest.mark.skipif(is_simulated(), reason="too many")
def test_a_sequence_of_many_blocks(backend):
    """With one window twice far behind the beginning, and far from the other."""
    from debruijn_gpu.sequences.euler import EulerSequence

    codes = backend.to_host(EulerSequence(10, 5, backend).codes).copy()
    cuts = range(0, 10**5, 10_003)
    assert verify(blocks_of(codes, 10, cuts), 10, 5, False, backend).ok
    codes[76_543] = (codes[76_543] + 1) % 10
    verification = verify(blocks_of(codes, 10, cuts), 10, 5, False, backend)
    windows = naive.windows_of(codes.tolist(), 5, linear=False)
    assert (verification.repeat.position, verification.repeat.earlier) == naive.first_repeat(windows)
    assert verification.n_missing == 10**5 - len(set(windows))


def test_codes_that_are_no_symbols(backend):
    with pytest.raises(FormatError, match="symbol 12 is 3, and there are 3 symbols"):
        verify(blocks_of([0] * 12 + [3, 4], 3, [5, 6]), 3, 3, False, backend)
    with pytest.raises(FormatError, match="symbol 12 is 3, and there are 3 symbols"):
        verify(blocks_of([0] * 12 + [3, 1], 3, [1], n_bits=2), 3, 3, False, backend, n_bits=2)


@pytest.mark.parametrize(("order", "needed"), [(40, "128.00 GiB"), (63, "2^63 words"), (100_000, "2^100000 words")])
def test_lack_of_memory(backend, order, needed):
    with pytest.raises(OutOfMemoryError) as caught:
        verify(blocks_of([0, 1], 2), 2, order, False, backend, 1 << 30)
    assert needed in caught.value.what


def test_order_of_none(backend):
    with pytest.raises(ParameterError):
        verify(blocks_of([0, 1], 2), 2, 0, False, backend)


def test_a_sequence_that_changes(backend):
    """A file that is written while it is read."""
    passes = iter([[0, 0, 0, 1], *[[0, 0, 1, 1]] * 2])
    with pytest.raises(FormatError, match="changed"):
        verify(lambda: iter([np.array(next(passes), np.uint8)]), 2, 2, True, backend)
