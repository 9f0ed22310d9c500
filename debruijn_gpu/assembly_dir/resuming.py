"""Continue the run of an output directory from its checkpoints."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from debruijn_gpu.assembly_dir.checkpoints import Checkpoints
from debruijn_gpu.assembly_dir.directory import PAGE, PARAMS, RUN
from debruijn_gpu.assembly_dir.identity import RunIdentity, digest_of
from debruijn_gpu.assembly_dir.leftovers import is_publishing
from debruijn_gpu.assembly_dir.saved_stages import NOT_SAVED, SavedStages
from debruijn_gpu.errors import FileAccessError, NothingToAssembleError
from debruijn_gpu.io.json_reading import parse_json
from debruijn_gpu.run import log
from debruijn_gpu.run.plain_text import counted
from debruijn_gpu.run.record import RunRecord, parse_record


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
    record = log.current_run().record
    record.identity, record.identity_of = identity.digest, identity.as_json()
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


def missing_results(outdir: Path, identity: RunIdentity | None) -> list[str] | None:
    """List the results that a finished run of the same identity left in a directory and that are missing or empty now.

    Returns
    -------
    list of str or None
        None without results, or where no record says which run they are of.

    Raises
    ------
    ParameterError
        If the results are of another run: names what differs.
    FileAccessError
        If a result was changed: the run would replace it.
    """
    found = _finished_run(outdir)
    if identity is None or found is None:
        return None
    identity.check(found.identity_of, str(outdir), are_results=True)
    missing = []
    for name, n_bytes in found.results.items():
        size = _size(outdir / name)
        if not size and n_bytes:
            missing.append(name)
        elif size != n_bytes and name != PAGE:  # `dbg report` writes the page again
            raise FileAccessError(
                f"{outdir / name}: changed since the run wrote it: expected {counted(n_bytes, 'byte')}, got {size:,}",
                "restore the file, or add --force to make all results again",
            )
    return missing


def _finished_run(outdir: Path) -> RunRecord | None:
    """Return the record of the run that left its results in a directory; None if there is none that is whole."""
    if not (outdir / PARAMS).exists() and is_publishing(outdir):
        return None  # results of two runs
    try:
        members = parse_json((outdir / RUN).read_bytes())
    except (OSError, ValueError):
        return None
    record = parse_record(members) if isinstance(members, dict) else RunRecord()
    is_whole = record.results and record.identity == digest_of(record.identity_of)
    return record if is_whole else None


def _size(path: Path) -> int:
    """Return the size of a file in bytes; 0 if there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0
