"""Files of a command line, by device and inode: links, redirected streams and ``/dev/stdin`` are found, too."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field

import click

from debruijn_gpu.errors import UsageError

_META = "debruijn_gpu.files"  # of click.Context.meta, which subcommands share
Identity = tuple[int, int]


@dataclass
class Files:
    """Files of a command line: what each input is by identity, and of each output's option by identity or path."""

    inputs: dict[Identity, str] = field(default_factory=dict)
    outputs: dict[Identity, tuple[str, str]] = field(default_factory=dict)
    targets: dict[str, str] = field(default_factory=dict)

    def add_input(self, shown: str, identities: Collection[Identity]) -> None:
        """Note an input; raise UsageError if an output is the same file."""
        for identity in identities:
            self.inputs.setdefault(identity, shown)
            if identity in self.outputs:
                raise _refusal(shown, *self.outputs[identity])

    def add_output(self, shown: str, option: str, identities: Collection[Identity]) -> None:
        """Note what an output would replace; raise UsageError if that is an input."""
        for identity in identities:
            self.outputs.setdefault(identity, (shown, option))
            if identity in self.inputs:
                raise _refusal(self.inputs[identity], shown, option)

    def add_target(self, path: str, option: str) -> None:
        """Note where an output goes; raise UsageError if another output has the same path."""
        if os.path.exists(path) and not os.path.isfile(path):
            return  # devices take several
        other = self.targets.setdefault(os.path.realpath(path), option)
        if other != option:
            raise UsageError(f"{path}: both {' and '.join(sorted((option, other)))}", "give each a file of its own")


def files_of(context: click.Context) -> Files:
    """Return the files that are noted of a running command."""
    files: Files = context.meta.setdefault(_META, Files())
    return files


def identities(
    path: str | int, members: Collection[str] = (), numbered: re.Pattern[str] | None = None
) -> list[Identity]:
    """Return device and inode of a file or descriptor; of a directory, those of some of its files."""
    try:
        info = os.stat(path)
    except (OSError, ValueError):  # who opens it reports that
        return []
    if stat.S_ISDIR(info.st_mode) and not isinstance(path, int):
        names = list(members)
        with suppress(OSError):
            names += [name for name in os.listdir(path) if numbered.fullmatch(name)] if numbered is not None else []
        return [one for name in names for one in identities(os.path.join(path, name))]
    is_file = stat.S_ISREG(info.st_mode) or stat.S_ISBLK(info.st_mode)
    return [(info.st_dev, info.st_ino)] if is_file else []


def _refusal(source: str, target: str, option: str) -> UsageError:
    what = f"{option} {target}: " if option else f"{target} "
    return UsageError(f"{what}is the same file as {source}, which would be lost", "write to another file")
