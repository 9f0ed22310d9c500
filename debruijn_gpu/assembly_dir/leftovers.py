"""The hidden directory of a run in its output directory, ``DIR/.dbg/``, and what killed runs leave there."""

from __future__ import annotations

import os
import re
import shutil
from contextlib import suppress
from pathlib import Path

from debruijn_gpu.io.syncing import sync_names

#: Directory of checkpoints within the output directory
STATE = ".dbg"
CHECKPOINT_ENDING = ".checkpoint"
#: File that is there while results get their names: without parameters, they are of a run that was killed then
_PUBLISHING = "publishing"
_CHECKPOINT = re.compile(r"[0-9]{3}_[a-z0-9]+" + re.escape(CHECKPOINT_ENDING))


def begin_publishing(outdir: Path) -> None:
    """Note that results are about to get their names.

    Raises
    ------
    OSError
        If that cannot be noted.
    """
    (outdir / STATE).mkdir(exist_ok=True)
    (outdir / STATE / _PUBLISHING).touch()
    sync_names(outdir / STATE)


def is_publishing(outdir: Path) -> bool:
    """Whether a run was killed while its results got their names, or does that now."""
    return (outdir / STATE / _PUBLISHING).exists()


def checkpoint_names(directory: Path) -> list[str]:
    """List the checkpoints of a directory, in the order of the stages."""
    try:
        found = [name for name in os.listdir(directory) if _CHECKPOINT.fullmatch(name)]
    except OSError:
        return []
    return sorted(name.removesuffix(CHECKPOINT_ENDING) for name in found)


def remove_state(outdir: Path) -> None:
    """Remove the checkpoints of an output directory, and all else of `STATE` that is not of others."""
    directory = outdir / STATE
    for name in checkpoint_names(directory):
        with suppress(OSError):
            (directory / f"{name}{CHECKPOINT_ENDING}").unlink()
    remove_unfinished(directory)
    with suppress(OSError):
        (directory / _PUBLISHING).unlink(missing_ok=True)
    with suppress(OSError):
        directory.rmdir()


def remove_unfinished(directory: Path) -> None:
    """Remove the temporary files of a run that was killed while it saved."""
    with suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            if entry.name.startswith(".") and entry.name.endswith(".part"):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    with suppress(OSError):
                        os.unlink(entry.path)
