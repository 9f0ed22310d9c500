"""The value of ``--dask``, and the engine behind it; imports Dask only when it is used."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from debruijn_gpu.errors import OptionValueError, UsageError

if TYPE_CHECKING:
    from debruijn_gpu.assembly.options import AssembleOptions
    from debruijn_gpu.assembly.result import Assembly
    from debruijn_gpu.assembly_dir.saved_stages import SavedStages
    from debruijn_gpu.reads.options import ReadInputs
    from debruijn_gpu.run.options import RunOptions
    from debruijn_gpu.samples.engine import Engine

#: Before the number of workers to start on this machine
LOCAL = "local:"

_MOST_WORKERS = 1024
_ADDRESS = re.compile(r"([a-z]+://)?[^\s/:]+(:[0-9]+)?|[a-z]+://\S+")


def check_place(place: str) -> str:
    """Return a value of ``--dask`` if it is one: the address of a scheduler, or ``local:N``.

    Raises
    ------
    OptionValueError
        If it is neither.
    """
    fix = "give the address of a scheduler, such as tcp://10.0.0.1:8786, or local:4 for 4 workers on this machine"
    if place.startswith(LOCAL):
        number = place.removeprefix(LOCAL)
        if not number.isascii() or not number.isdigit() or not 1 <= int(number) <= _MOST_WORKERS:
            raise OptionValueError(f"--dask {place}: {number!r} is no number of workers", fix)
        return f"{LOCAL}{int(number)}"
    if not _ADDRESS.fullmatch(place):
        raise OptionValueError(f"--dask {place}: no address of a scheduler", fix)
    return place if "://" in place else f"tcp://{place}"


@contextmanager
def engine_at(place: str | None, run: RunOptions, n_bytes: int) -> Iterator[tuple[Engine | None, RunOptions]]:
    """Yield the engine of ``--dask`` and the options of this process beside it; without it, None and the same options.

    Parameters
    ----------
    place : str or None
        As `check_place` returns it.
    run : RunOptions
    n_bytes : int
        Size of the input.

    Raises
    ------
    UsageError
        If Dask is not installed.
    ClusterError
        See `cluster.cluster_of`.
    """
    if place is None:
        yield None, run
        return
    if find_spec("distributed") is None:
        raise UsageError(
            "--dask needs dask and distributed, which are not installed", "pip install 'debruijn_gpu[dask]'"
        )
    from debruijn_gpu.distributed.cluster import cluster_of
    from debruijn_gpu.distributed.engine import DaskEngine

    with cluster_of(place, run) as (client, own):
        yield DaskEngine(client, own, n_bytes, run.tmp_dir if place.startswith(LOCAL) else None), own


def assemble_at(
    place: str | None, inputs: ReadInputs, options: AssembleOptions, run: RunOptions, saved: SavedStages | None = None
) -> Assembly:
    """Assemble reads, with the engine of ``--dask`` where there is one; see `assemble` and `engine_at`."""
    from debruijn_gpu.io.fastx.reads import expected_bases
    from debruijn_gpu.pipeline import assemble

    with engine_at(place, run, expected_bases(inputs)) as (engine, own):
        return assemble(inputs, options, own, saved, engine)
