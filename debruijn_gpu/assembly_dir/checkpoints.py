"""Checkpoints of a run in its output directory: ``DIR/.dbg/``, one file for each finished stage.

They are there from the end of a stage to the end of the run, and stay if the run fails. The lock of the output
directory guards them: one run at a time reads and writes them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from numpy.typing import NDArray

from debruijn_gpu.assembly_dir.identity import RunIdentity
from debruijn_gpu.assembly_dir.leftovers import CHECKPOINT_ENDING, STATE, checkpoint_names, remove_unfinished
from debruijn_gpu.io.checkpoint_files import (
    DamagedCheckpointError,
    array_bytes,
    checkpoint_parts,
    read_content,
    write_checkpoint,
)
from debruijn_gpu.run import log
from debruijn_gpu.run.tuning import tuning

#: Builds what was saved from its value, its arrays, and the arrays of each part
Builder: TypeAlias = Callable[[Any, list[NDArray[Any]], Iterator[list[NDArray[Any]]]], Any]
#: What reading a damaged checkpoint raises
_DAMAGES = (DamagedCheckpointError, OSError, ValueError, TypeError, LookupError, RecursionError)


class Checkpoints:
    """Checkpoints in a directory, of one run.

    Parameters
    ----------
    outdir : Path
        Output directory, which this run has locked.
    identity : RunIdentity
    saves_all : bool
        Save every stage, not only where work of `Tuning.checkpoint_s` would be lost.

    Attributes
    ----------
    directory : Path
    are_own : bool
        Whether the checkpoints are of this run, or of one that it continues.
    """

    def __init__(self, outdir: Path, identity: RunIdentity, saves_all: bool = False) -> None:
        self.directory = outdir / STATE
        self._identity = identity
        self._saves_all = saves_all
        self._last_save = time.monotonic()
        self.are_own = False
        self._names = checkpoint_names(self.directory)
        remove_unfinished(self.directory)

    @property
    def names(self) -> list[str]:
        """Names of the checkpoints, in the order of the stages."""
        return list(self._names)

    @property
    def is_due(self) -> bool:
        """Whether the work since the last checkpoint is worth one."""
        return self._saves_all or time.monotonic() - self._last_save >= tuning().checkpoint_s

    def resume(self) -> None:
        """Use the checkpoints of an earlier run, which must be of the same identity; damaged ones are left out.

        Raises
        ------
        ParameterError
            If version, inputs or options differ.
        """
        for name in self.names:
            found = self._guarded(name, lambda path: _identity(read_content(path)))
            if found is not None:
                self._identity.check(found, str(self.directory))
        self.are_own = True

    def load(self, name: str, build: Builder) -> Any:
        """Load a checkpoint, and return what a function builds of it; None, with a warning, if it is damaged.

        Parameters
        ----------
        name : str
        build : callable
            Takes value, arrays, and an iterator over the arrays of parts, which it exhausts. It may raise
            ValueError, TypeError or LookupError if these are not what was saved.
        """

        def built(path: Path) -> Any:
            with checkpoint_parts(path) as (content, arrays, parts):
                found = build(content["value"], arrays, parts)
                if next(parts, None) is not None:
                    raise DamagedCheckpointError("it has more parts than its stage")
                return found

        return self._guarded(name, built)

    def n_bytes(self, name: str) -> int:
        """Return about the memory that a checkpoint takes without its parts; 0 if it cannot be read."""
        try:
            return array_bytes(self._path(name))
        except _DAMAGES:
            return 0

    def save(
        self, name: str, value: Any, arrays: list[NDArray[Any]], parts: Iterable[Sequence[NDArray[Any]]] = ()
    ) -> None:
        """Save a stage; where that fails, the run continues without this checkpoint, and a warning says so."""
        try:
            self._prepare()
            with log.stage("checkpoint") as stage:
                content = {"identity": self._identity.as_json(), "value": value}
                stage.items, stage.unit = write_checkpoint(self._path(name), content, arrays, parts), "bytes"
        except OSError as error:
            log.logger.warning("%s: no checkpoint: %s", self._path(name), error.strerror or error)
            return
        self._names = sorted({*self._names, name})
        self._last_save = time.monotonic()

    def _prepare(self) -> None:
        """Make the directory, and remove the checkpoints of another run."""
        self.directory.mkdir(exist_ok=True)
        if not self.are_own:
            for name in self._names:
                self._path(name).unlink(missing_ok=True)
            self._names, self.are_own = [], True

    def _guarded(self, name: str, read: Callable[[Path], Any]) -> Any:
        """Read a checkpoint; None, with a warning, if it is damaged."""
        try:
            return read(self._path(name))
        except _DAMAGES as error:
            log.logger.warning("%s: damaged checkpoint: %s; its stage is run again", self._path(name), error)
            self._names.remove(name)
            return None

    def _path(self, name: str) -> Path:
        return self.directory / f"{name}{CHECKPOINT_ENDING}"


def _identity(content: dict[str, Any]) -> dict[str, Any]:
    return {member: content["identity"][member] for member in ("version", "options", "inputs")}
