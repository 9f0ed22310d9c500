"""What a task knows of its run and of its worker, and how its errors name that worker."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from distributed import get_worker

from debruijn_gpu import backends
from debruijn_gpu.distributed.allocation import return_freed_memory, usable_memory
from debruijn_gpu.distributed.errors import ClusterError
from debruijn_gpu.distributed.exchange import serve_pieces
from debruijn_gpu.errors import (
    DbgError,
    FileAccessError,
    FormatError,
    InputNotFoundError,
    OutOfMemoryError,
    ParameterError,
)
from debruijn_gpu.run import log
from debruijn_gpu.run.hash_seed import use_hash_seed
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import memory_budget
from debruijn_gpu.version import __version__

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import Backend

_SAME_PATHS = "workers have to find the reads under the same path as the command: name a file that they share"


@dataclass(frozen=True)
class TaskContext:
    """Settings of a run that its tasks need.

    Attributes
    ----------
    run_id : str
        Of this run alone.
    seed : int
        See `run.hash_seed`.
    backend, gpu_memory : str
        See `RunOptions`; ``auto`` is decided by each worker.
    n_bytes : int
        Size of the input, by which ``auto`` decides.
    tmp_dir : Path or None
        Of scratch files; None: the local directory of the worker.
    version : str
    """

    run_id: str
    seed: int
    backend: str
    gpu_memory: str
    n_bytes: int
    tmp_dir: Path | None
    version: str = __version__

    def run_options(self) -> RunOptions:
        """Return the options by which this worker works: one thread for each of its tasks, and its memory."""
        worker = get_worker()
        memory = usable_memory(worker)
        return RunOptions(
            threads=1,
            memory=str(memory) if memory else RunOptions.memory,
            gpu_memory=self.gpu_memory,
            backend=self.backend,
            tmp_dir=self.tmp_dir or Path(worker.local_directory),
        )


@dataclass(frozen=True)
class Place:
    """The worker of a task: its options and its backend."""

    run: RunOptions
    backend: Backend


@contextmanager
def working(context: TaskContext) -> Iterator[Place]:
    """Work on a task of a run: with its hash seed, in a log of its own, and with errors that name the worker.

    Raises
    ------
    ClusterError
        If this worker has another version of this package than the command.
    """
    name = worker_name()
    if context.version != __version__:
        raise version_error({name: __version__}, context.version)
    serve_pieces()
    return_freed_memory(get_worker())
    try:
        with use_hash_seed(context.seed), log.new_run():
            run = context.run_options()
            memory_budget(run.memory)
            yield Place(run, backends.load_arrays(run, "reads", context.n_bytes))
    except (FormatError, ParameterError, ClusterError):
        raise  # of the input, wherever it is read, or of another worker
    except DbgError as error:
        fix = _SAME_PATHS if isinstance(error, InputNotFoundError) else error.fix
        raise type(error)(f"worker {name}: {error.what}", fix) from error
    except MemoryError as error:
        what = f"worker {name}: Out of memory: {error or 'an allocation failed'}"
        raise OutOfMemoryError(what, "give workers more memory") from error
    except OSError as error:
        what = f"worker {name}: {error.filename or 'reading or writing'}: {error.strerror or error}"
        raise FileAccessError(what, "check that worker's disk") from error
    except Exception as error:
        if not _is_movable(error):
            lines = traceback.format_exception(error)
            raise RuntimeError(f"worker {name}: {''.join(lines)}") from None
        raise


def _is_movable(error: Exception) -> bool:
    """Whether pickle moves an error: of another the command would not hear."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return False
    return True


def worker_name() -> str:
    """Return the name of this worker, and its address if that says more."""
    worker = get_worker()
    return str(worker.address) if worker.name in (None, worker.address) else f"{worker.name} ({worker.address})"


def version_error(found: dict[str, str | None], wanted: str) -> ClusterError:
    """Return the error of workers that have another version than the command, or none."""
    name, version = next(iter(found.items()))
    has = "does not have debruijn_gpu" if version is None else f"has debruijn_gpu {version}"
    return ClusterError(
        f"worker {name} {has}, and this command is debruijn_gpu {wanted}",
        f"install debruijn_gpu {wanted} where the workers start",
    )
