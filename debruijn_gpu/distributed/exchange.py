"""Pieces of the results of tasks, which workers get from each other.

Dask moves whole results, and through tasks: a shuffle of r results in p pieces would be r * p of them, at a millisecond
of the scheduler each. Here the task that needs its piece of all results asks each worker that has some, once. The
command keeps hold of the results, so that Dask makes lost ones again; a task that needs one leaves its thread to that.
"""

from __future__ import annotations

import asyncio
import pickle
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from distributed import get_worker, rejoin, secede
from distributed.protocol import to_serialize
from distributed.utils import offload, sync

from debruijn_gpu.distributed.errors import ClusterError
from debruijn_gpu.errors import DbgError

if TYPE_CHECKING:
    from distributed import Worker

_OPERATION = "debruijn_gpu_pieces"
_AT_ONCE = 8  # workers that are asked
_LOOKING_S = 2.0  # until the scheduler is asked whether a worker that does not answer is still there
_SMALL_BYTES, _BRIEF_BYTES = 32 << 20, 1 << 20  # copied some times; unpacked before the next message
_PAUSE_S, _MOST_PAUSE_S = 0.25, 4.0


class Movable(Protocol):
    """What can be sent."""

    def moved(self) -> Any:
        """Return it with all data in memory."""


class Offered(ABC):
    """A result in pieces; a worker to which Dask moves it gives them, too."""

    @abstractmethod
    def piece(self, which: Any) -> Sequence[Movable]:
        """Return a piece, of this result alone."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        with suppress(ValueError):  # no worker
            serve_pieces()


@dataclass(frozen=True)
class Directory:
    """Where results lie.

    Attributes
    ----------
    keys : tuple of str
        Of the tasks that made them.
    places : tuple of str
        Addresses of workers; empty where none is known.
    """

    keys: tuple[str, ...]
    places: tuple[str, ...]


_found_elsewhere: dict[str, str] = {}  # by key: where a result is that was lost or sent away; empty: unknown


def given(directory: Directory) -> Directory:
    """Return what the command sends to tasks."""
    return directory


def forget() -> None:
    """Forget the results of other runs."""
    _found_elsewhere.clear()


def serve_pieces() -> None:
    """Let this worker give pieces of the results that it has."""
    worker = get_worker()
    if _OPERATION not in worker.handlers:

        async def serve(keys: list[str], which: Any) -> dict[str, Any]:
            return await _served(worker, keys, which)

        worker.handlers[_OPERATION] = serve


async def _served(worker: Worker, keys: Sequence[str], which: Any) -> dict[str, Any]:
    """Answer with a piece of each result, None for those that are not here; or with an error."""
    results = [worker.data.get(key) for key in keys]
    try:
        return {"pieces": await offload(_moved, results, which)}
    except (OSError, DbgError) as error:
        return {"error": error.what if isinstance(error, DbgError) else f"{error.strerror or error}"}


def _moved(results: Sequence[Offered | None], which: Any) -> Any:
    """Return pieces as a message: small ones in one string, as each array of its own takes Dask a tenth of a ms."""
    parts = [None if one is None else [part.moved() for part in one.piece(which)] for one in results]
    n_bytes = sum(sys.getsizeof(part) for one in parts for part in one or ())
    return pickle.dumps(parts, pickle.HIGHEST_PROTOCOL) if n_bytes <= _SMALL_BYTES else to_serialize(parts)


def pieces(directory: Directory, which: Any) -> list[Any]:
    """Get a piece of each result, in their order, for a task of this worker.

    Raises
    ------
    ClusterError
        If a worker cannot read its scratch file.
    """
    worker = get_worker()
    while True:
        found: dict[str, list[Any]] = sync(worker.loop, _gathered, worker, directory, which)
        missing = [key for key in directory.keys if key not in found]
        if not missing:
            return [part for key in directory.keys for part in found[key]]
        found.clear()
        secede()  # so that the thread can make again what is missing
        sync(worker.loop, _remade, worker, missing)
        rejoin()


async def _remade(worker: Worker, keys: list[str]) -> None:
    """Wait until results are somewhere."""
    wait_s, are_there = _PAUSE_S, False
    while not are_there:
        await asyncio.sleep(wait_s)
        are_there = all((await worker.scheduler.who_has(keys=keys)).values())
        wait_s = min(2 * wait_s, _MOST_PAUSE_S)


async def _gathered(worker: Worker, directory: Directory, which: Any) -> dict[str, list[Any]]:
    """Get a piece of each result that is somewhere."""
    found: dict[str, list[Any]] = {}
    where = {key: _found_elsewhere.get(key, place) for key, place in zip(directory.keys, directory.places, strict=True)}
    await _ask_all(worker, where, which, found)
    missing = [key for key in directory.keys if key not in found]
    if missing:
        known = await worker.scheduler.who_has(keys=missing)
        where = {key: places[0] for key, places in known.items() if places}
        _found_elsewhere.update(where)
        await _ask_all(worker, where, which, found)
    return found


async def _ask_all(worker: Worker, where: dict[str, str], which: Any, found: dict[str, list[Any]]) -> None:
    """Ask some workers at a time for the pieces of their results."""
    keys_at: dict[str, list[str]] = {}
    for key, place in where.items():
        if place:
            keys_at.setdefault(place, []).append(key)
    limit = asyncio.Semaphore(_AT_ONCE)

    async def ask(place: str) -> None:
        async with limit:
            found.update(await _from_place(worker, place, keys_at[place], which))

    # Workers begin with the one behind them, so that they do not all ask the same one at once
    order = sorted(keys_at, key=lambda place: (place <= worker.address, place))
    await asyncio.gather(*map(ask, order))


def _lost(keys: list[str]) -> dict[str, list[Any]]:
    """Note that the scheduler has to be asked where results are."""
    _found_elsewhere.update(dict.fromkeys(keys, ""))
    return {}


async def _from_place(worker: Worker, place: str, keys: list[str], which: Any) -> dict[str, list[Any]]:
    """Get pieces from one worker; nothing if it is lost."""
    if place == worker.address:  # where nothing is copied
        results = {key: worker.data.get(key) for key in keys}
        return {key: list(one.piece(which)) for key, one in results.items() if one is not None}
    answer = asyncio.ensure_future(getattr(worker.rpc(place), _OPERATION)(keys=keys, which=which))
    while not (await asyncio.wait({answer}, timeout=_LOOKING_S))[0]:
        known = await worker.scheduler.who_has(keys=keys[:1])
        if place not in known.get(keys[0], ()):
            answer.cancel()  # which closes the connection
            return _lost(keys)
    try:
        found = answer.result()
    except OSError:
        return _lost(keys)
    if not isinstance(found, dict):  # a worker that has not worked yet
        return {}
    if "error" in found:
        raise ClusterError(f"worker {place}: {found['error']}", "check that worker's disk")
    parts = found["pieces"]
    if isinstance(parts, bytes):
        parts = await offload(pickle.loads, parts) if len(parts) > _BRIEF_BYTES else pickle.loads(parts)
    return {key: one for key, one in zip(keys, parts, strict=True) if one is not None}
