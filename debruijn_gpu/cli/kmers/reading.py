"""Arguments that name sets of k-mers, and sets opened together."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from debruijn_gpu import backends
from debruijn_gpu.cli.common import Decorator
from debruijn_gpu.cli.paths import STANDARD_STREAM, InputFile, note_standard_input
from debruijn_gpu.io.kmer_sets.files import OpenedSet, open_set
from debruijn_gpu.run import log
from debruijn_gpu.run.file_formats import KMC_ENDINGS, ending_of
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.sets.options import split_name

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import Backend


class SetFile(InputFile):
    """A set of k-mers to read: a file, ``-``, or the name of a KMC database.

    Parameters
    ----------
    may_have_name : bool
        Whether the value may be NAME=FILE.
    """

    def __init__(self, may_have_name: bool = False) -> None:
        super().__init__()
        self._may_have_name = may_have_name

    def paths(self, text: str) -> list[str]:
        """Return the path that a value names."""
        return [split_name(text)[1] if self._may_have_name else text]


def sets_argument(may_have_name: bool = False, required: bool = False) -> Decorator:
    """Make the argument of a command that reads sets; `take_paths` takes it."""
    shown = "[NAME=]SET" if may_have_name else "SET"
    metavar = f"{shown}..." if required else f"[{shown}]..."
    return click.argument("paths", type=SetFile(may_have_name), nargs=-1, required=required, metavar=metavar)


def take_paths(paths: tuple[str, ...]) -> tuple[str, ...]:
    """Return the paths of an argument; none of them is standard input."""
    if paths:
        return paths
    note_standard_input()
    return (STANDARD_STREAM,)


set_argument = click.argument("path", type=SetFile(), default=STANDARD_STREAM, metavar="[SET]")

canonical_option = click.option(
    "--canonical/--forward",
    default=True,
    show_default=True,
    help="Read k-mers of text, which does not say it, as canonical, or as they are.",
)


def load_backend(run: RunOptions) -> Backend:
    """Load the backend of a command on sets: reading and writing them takes longer than a GPU could save."""
    return backends.load_arrays(replace(run, backend="cpu") if run.backend == "auto" else run, "reads", 0)


@contextmanager
def opened_sets(paths: Sequence[str], run: RunOptions, canonical: bool) -> Iterator[list[OpenedSet]]:
    """Open sets, and close them in the end."""
    with ExitStack() as closing:
        found = []
        with log.stage("open sets"):
            for path in paths:
                found.append(open_set(path, run, canonical))
                closing.callback(found[-1].kmers.close)
        yield found


def name_of(path: str) -> str:
    """Return the name of a set: its file without directory and extension."""
    name = os.path.basename(path)
    ending = ending_of(name)
    for known in (ending, *KMC_ENDINGS):
        if known and name.endswith(known) and name != known:
            return name[: -len(known)]
    return name
