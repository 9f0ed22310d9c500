"""Continue the run of an output directory from its checkpoints."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from debruijn_gpu.assembly_dir.checkpoints import Checkpoints
from debruijn_gpu.assembly_dir.directory import PARAMS, RUN
from debruijn_gpu.assembly_dir.identity import RunIdentity
from debruijn_gpu.assembly_dir.saved_stages import NOT_SAVED, SavedStages
from debruijn_gpu.errors import NothingToAssembleError
from debruijn_gpu.io.json_reading import parse_json
from debruijn_gpu.run import log


@contextmanager
def stages_in(outdir: Path, identity: RunIdentity | None, continues: bool, saves_all: bool) -> Iterator[SavedStages]:
    """Save and load stages in an output directory that this run has locked.

    Parameters
    ----------
    outdir : Path
    identity : RunIdentity or None
        None: an input cannot be read twice, so that nothing is saved.
    continues : bool
        Load the stages of an earlier run.
    saves_all : bool
        See `Checkpoints`.

    Raises
    ------
    ParameterError
        If version, inputs or options are not those of the checkpoints.
    """
    if identity is None:
        if continues or saves_all:
            log.logger.warning("an input is a pipe, which cannot be read again: there are no checkpoints")
        yield NOT_SAVED
        return
    log.current_run().record.identity = identity.digest
    checkpoints = Checkpoints(outdir, identity, saves_all)
    if continues:
        checkpoints.resume()
    elif checkpoints.names:
        log.report("%s: checkpoints of an earlier run, which --continue resumes; this run replaces them", outdir)
    try:
        yield SavedStages(checkpoints, continues)
    except BaseException as error:
        if checkpoints.are_own and checkpoints.names and not isinstance(error, NothingToAssembleError):
            log.report("checkpoints are kept in %s: add --continue to resume", checkpoints.directory)
        raise


def is_finished(outdir: Path, identity: RunIdentity | None) -> bool:
    """Whether a directory holds all results of a run of the same identity."""
    if identity is None or not (outdir / PARAMS).exists():
        return False
    try:
        members = parse_json((outdir / RUN).read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(members, dict) and members.get("identity") == identity.digest
