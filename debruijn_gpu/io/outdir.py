"""The output directory: every result of a run, or none."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from debruijn_gpu.errors import FileAccessError
from debruijn_gpu.io.output import access_error, is_of_writing, temporary_name

#: All that a run may write into its directory; the parameters come last, so that they vouch for the rest.
RESULTS = (
    "contigs.fasta",
    "scaffolds.fasta",
    "assembly_graph.gfa",
    "report.tsv",
    "report.json",
    "report.html",
    "spectrum.hist",
    "general_mqc.json",
    "spectrum_mqc.json",
    "lengths_mqc.json",
    "dbg.log",
    "params.json",
)
LOG = "dbg.log"
FAILED_LOG = "dbg.failed.log"


class OutputDirectory:
    """A directory in which all results of a run appear together when it ends well.

    Until then they are hidden files (``.contigs.fasta.part``) in the same directory. If the run fails or is
    interrupted they are removed, what an earlier run left stays as it was, and directories that were made for
    this run and are empty go again. Only the log stays, as ``dbg.failed.log``, which is no result and in
    nobody's way.

    Parameters
    ----------
    path : Path
        Made with its parents if it is not there. It may hold anything but results of an earlier run.
    force : bool
        Replace the results of an earlier run: all of them, so that what is there is of one run.

    Raises
    ------
    FileAccessError
        On entering, if the directory cannot be made or written, or holds results and ``force`` is not set.
    """

    def __init__(self, path: Path, force: bool = False) -> None:
        self.path = path
        self._force = force
        self._written: list[str] = []
        self._made: list[Path] = []

    @property
    def log_path(self) -> Path:
        """Where to write the log as the run goes on."""
        return temporary_name(self.path / LOG)

    def __enter__(self) -> OutputDirectory:
        try:
            self._make()
            with tempfile.TemporaryFile(dir=self.path):  # says now what writing would say in the end
                pass
            self._refuse_earlier_results()
        except BaseException as error:
            self._remove_made()
            if isinstance(error, OSError):
                raise access_error(self.path, error) from error
            raise
        return self

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        """Binary stream of a result, one of `RESULTS`."""
        if name not in RESULTS:
            raise ValueError(f"{name} is not among the known results")
        self._written.append(name)
        target = self.path / name
        try:
            with open(temporary_name(target), "wb") as stream:
                yield stream
        except OSError as error:
            if is_of_writing(error, target):
                raise access_error(target, error) from error
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._publish()
        except OSError as failure:
            raise access_error(self.path, failure) from failure
        finally:
            self._clean_up()

    def _make(self) -> None:
        missing = [directory for directory in (self.path, *self.path.parents) if not directory.exists()]
        for directory in reversed(missing):
            directory.mkdir(exist_ok=True)
            self._made.append(directory)

    def _refuse_earlier_results(self) -> None:
        there = [name for name in RESULTS if os.path.lexists(self.path / name)]
        for name in there:
            if (self.path / name).is_dir():
                raise FileAccessError(f"{self.path / name}: a directory is in the way", "choose another directory")
        if there and not self._force:
            raise FileAccessError(
                f"{self.path}: holds results already ({', '.join(there)})",
                "add --force to replace them, or choose another directory",
            )

    def _publish(self) -> None:
        """Give all files their names, and remove what an earlier run has left besides."""
        written = {*self._written, *([LOG] if self.log_path.exists() else [])}
        for name in RESULTS:
            target = self.path / name
            if name in written:
                os.replace(temporary_name(target), target)
            else:
                target.unlink(missing_ok=True)
        (self.path / FAILED_LOG).unlink(missing_ok=True)

    def _clean_up(self) -> None:
        """Remove what is still under a temporary name; nothing is, after a run that ended well."""
        for name in self._written:
            with suppress(OSError):
                temporary_name(self.path / name).unlink(missing_ok=True)
        with suppress(OSError):
            os.replace(self.log_path, self.path / FAILED_LOG)
        self._remove_made()

    def _remove_made(self) -> None:
        for directory in reversed(self._made):
            with suppress(OSError):  # not empty
                directory.rmdir()
