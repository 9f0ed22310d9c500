"""Hold the random seed of hash tables, drawn once per run, so that an input cannot be chosen to collide in them.

The seed changes how long a search in a table takes, never a result. Whoever continues a run or works for another
process takes over its seed by `use_hash_seed`: tables that were built with one seed are searched with the same. A
context variable holds it, as in `tuning`. It is read on the host, at each call.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

from debruijn_gpu.errors import ParameterError

_BITS = 64
_chosen: ContextVar[int | None] = ContextVar("dbg_hash_seed", default=None)


@cache
def _drawn() -> int:
    return secrets.randbits(_BITS) | 1


def hash_seed() -> int:
    """Return the seed of this run: an odd integer of 64 bits."""
    chosen = _chosen.get()
    return _drawn() if chosen is None else chosen


@contextmanager
def use_hash_seed(seed: int) -> Iterator[None]:
    """Use the seed of another process, or of the run that is continued, within this context.

    Raises
    ------
    ParameterError
        If the seed is no odd integer of 64 bits.
    """
    if not 0 < seed < 1 << _BITS or not seed & 1:
        raise ParameterError(f"the seed of hash tables is an odd integer below 2^{_BITS}, not {seed}", "start anew")
    token = _chosen.set(seed)
    try:
        yield
    finally:
        _chosen.reset(token)
