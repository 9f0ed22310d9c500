"""The output directory: every result of a run, or none."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from debruijn_gpu.assembly_dir.leftovers import STATE, begin_publishing, is_publishing, remove_state
from debruijn_gpu.errors import FileAccessError
from debruijn_gpu.io.json_reading import parse_json
from debruijn_gpu.io.output import is_of_writing
from debruijn_gpu.io.publishing import access_error, keep_mode
from debruijn_gpu.io.staging import DirectoryLock, MadeDirectories, Staging, remove_leftovers
from debruijn_gpu.io.syncing import sync_names, sync_path
from debruijn_gpu.run import signals

PARAMS = "params.json"
LOG = "dbg.log"
RUN = "run.json"
PAGE = "report.html"
FAILED_LOG = "dbg.failed.log"

#: All that a run may write into its directory; the parameters come last, so that they vouch for the rest.
RESULTS = (
    "contigs.fasta",
    "contigs.tsv",
    "scaffolds.fasta",
    "scaffolds.agp",
    "scaffolds.tsv",
    "gap_closures.tsv",
    "breaks.tsv",
    "assembly_graph.gfa",
    "variants.tsv",
    "variants.gfa",
    "report.tsv",
    "report.json",
    PAGE,
    "spectrum.hist",
    "general_mqc.json",
    "spectrum_mqc.json",
    "lengths_mqc.json",
    LOG,
    RUN,
    PARAMS,
)

_COMMANDS = ("assemble", "bin")  # that write directories
_STAGED = "dbg"  # within the hidden name of unpublished results
_MOST_TRIES = 10
_SYNC_THREADS = 4  # a disk is asked for several files at once
_MOST_LISTED = 30  # names of results in an error


class OutputDirectory:
    """A directory in which all results of a run appear together when it ends well.

    Until then they are in a hidden directory within it. If the run fails or is interrupted they are removed, what an
    earlier run left stays as it was, and directories that were made for this run and are empty are removed. Only the
    log stays, as ``dbg.failed.log``, which is no result.

    One run at a time holds the directory: a second one fails at once. File systems without locks let both run; the
    second to end fails, as it finds the results of the first, or replaces these with ``force``.

    When results are replaced, ``params.json`` is removed first and written last, so that after a crash it is never
    beside files of another run. The next run replaces what a run left that was killed meanwhile.

    Checkpoints are in a hidden directory (see `leftovers`), which is removed when the run ends well.

    Parameters
    ----------
    path : Path
        Made with its parents if it is not there. It may hold anything but results of an earlier run.
    force : bool
        Replace the results of an earlier run: all of them, so that the directory holds those of one run.
    results : tuple of str
        Names of the results, in the order in which they are published; `PARAMS` comes last.
    numbered : re.Pattern, optional
        Matches names of further results, any number of files; they are published first.
    command : str
        Name of the command, by which `PARAMS` has its options. Results of another command are never replaced.

    Attributes
    ----------
    staging : Path
        Where results are until the run ends. Only inside the block.

    Raises
    ------
    FileAccessError
        On entering, if the directory cannot be made or written, another run holds it, it holds results of another
        command, or it holds results and ``force`` is not set.
    """

    def __init__(
        self,
        path: Path,
        force: bool = False,
        results: tuple[str, ...] = RESULTS,
        numbered: re.Pattern[str] | None = None,
        command: str = "assemble",
    ) -> None:
        self.path = path
        self._command = command
        self._force = force
        self._results = results
        self._numbered = numbered
        self._directories = MadeDirectories(path)
        self._lock = DirectoryLock(path)
        self._staging: Staging | None = None
        self._pool = ThreadPoolExecutor(_SYNC_THREADS, thread_name_prefix="dbg-sync")
        self._syncs: dict[str, Future[None]] = {}

    @property
    def staging(self) -> Path:
        """Directory of the results until they are published."""
        assert self._staging is not None
        return self._staging.path

    @property
    def log_path(self) -> Path:
        """Where to write the log during the run."""
        return self.staging / LOG

    def sizes(self) -> dict[str, int]:
        """Return the size in bytes of each result but the log and the record of the run, which are not complete yet."""
        written = (name for name in self._names_in(self.staging) if name not in (LOG, RUN))
        return {name: path.stat().st_size for name in written if (path := self.staging / name).exists()}

    def __enter__(self) -> OutputDirectory:
        try:
            self._acquire()
            self._refuse_earlier_results()
            self._staging = Staging(self.path / _STAGED, self._lock.is_effective)
        except BaseException as error:
            self._clean_up()
            if isinstance(error, OSError):
                raise access_error(self.path, error) from error
            raise
        return self

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        """Binary stream of a result, by its name; what is written is stored on the disk beside what comes next."""
        if name not in self._results and not self._is_numbered(name):
            raise ValueError(f"{name} is not among the known results")
        place = self.staging / name
        try:
            with open(place, "wb") as stream:
                yield stream
            self._syncs[name] = self._pool.submit(sync_path, place)
        except OSError as error:
            if is_of_writing(error, place):
                raise access_error(self.path / name, error) from error
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._sync()
                with signals.deferred():
                    self._publish()
        except OSError as failure:
            raise access_error(self.path, failure) from failure
        finally:
            self._clean_up()

    def _acquire(self) -> None:
        """Make the directory and lock it."""
        for _ in range(_MOST_TRIES):
            self._directories.make()
            with suppress(FileNotFoundError):  # a run that failed has removed it meanwhile
                if self._lock.acquire():
                    self._warn_without_lock()
                    return
                holder = self._lock.holder()
                raise FileAccessError(
                    f"{self.path}: another run is writing there" + f" ({holder})" * bool(holder),
                    "wait until it has ended, or choose another directory",
                )
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))

    def _is_numbered(self, name: str) -> bool:
        return self._numbered is not None and self._numbered.fullmatch(name) is not None

    def _names_in(self, *directories: Path) -> list[str]:
        """Names of results that directories may hold, numbered ones first."""
        if self._numbered is None:
            return list(self._results)
        found = {name for directory in directories for name in os.listdir(directory) if self._is_numbered(name)}
        return [*sorted(found), *self._results]

    def _warn_without_lock(self) -> None:
        if not self._lock.is_effective:
            from debruijn_gpu.run import log  # which help pages do not need

            log.logger.warning(
                "%s: the file system has no locks, so that another run in this directory goes unnoticed", self.path
            )

    def _refuse_earlier_results(self) -> None:
        there = [name for name in self._names_in(self.path) if os.path.lexists(self.path / name)]
        for name in there:
            if (self.path / name).is_dir():
                raise FileAccessError(f"{self.path / name}: a directory is in the way", "choose another directory")
        if os.path.lexists(self.path / STATE) and not (self.path / STATE).is_dir():
            raise FileAccessError(
                f"{self.path / STATE}: a file is in the way", "remove it, or choose another directory"
            )
        other = _command_of(self.path / PARAMS) if PARAMS in there else None
        if other not in (None, self._command):
            raise FileAccessError(f"{self.path}: holds results of 'dbg {other}'", "choose another directory")
        is_partial = PARAMS not in there and is_publishing(self.path)
        if there and not self._force and not is_partial:
            raise FileAccessError(
                f"{self.path}: holds results already ({listed(there)})",
                "add --force to replace them, or choose another directory",
            )

    def _sync(self) -> None:
        """Store the results on the disk, before those of an earlier run are removed."""
        for path in self.staging.iterdir():
            if path.name not in self._syncs:
                self._syncs[path.name] = self._pool.submit(sync_path, path)
        for sync in self._syncs.values():
            sync.result()

    def _publish(self) -> None:
        """Give all files their names, and remove other results of an earlier run."""
        self._refuse_earlier_results()  # a run without a lock may have been quicker
        begin_publishing(self.path)
        (self.path / PARAMS).unlink(missing_ok=True)
        sync_names(self.path)
        for name in self._names_in(self.path, self.staging):
            if name == PARAMS:
                sync_names(self.path)
            if (self.staging / name).exists():
                keep_mode(self.staging / name, self.path / name)
                os.replace(self.staging / name, self.path / name)
            else:
                (self.path / name).unlink(missing_ok=True)
        (self.path / FAILED_LOG).unlink(missing_ok=True)
        sync_names(self.path)
        remove_state(self.path)

    def _clean_up(self) -> None:
        """Remove unpublished files, the lock, and directories created for this run that are still empty."""
        with signals.deferred():
            self._pool.shutdown(cancel_futures=True)
            if self._staging is not None:
                with suppress(OSError):
                    os.replace(self.log_path, self.path / FAILED_LOG)
                self._staging.remove()
            self._lock.release()
            self._directories.remove()


def _command_of(params: Path) -> str | None:
    """Return which command wrote a file of parameters; None if it cannot be read."""
    try:
        found = parse_json(params.read_bytes())
    except (OSError, ValueError):
        return None
    return next((command for command in _COMMANDS if isinstance(found, dict) and command in found), None)


def listed(names: list[str]) -> str:
    """Names separated by commas; of many, the first ones and their number."""
    more = len(names) - _MOST_LISTED
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:_MOST_LISTED])} and {more:,} more"


def clear_leftovers(outdir: Path) -> None:
    """Remove what killed runs left beside the results of a directory, unless another run writes there."""
    lock = DirectoryLock(outdir)
    with suppress(OSError):
        if lock.acquire():
            remove_leftovers(outdir / _STAGED, lock.is_effective)
            remove_state(outdir)
            lock.release()
