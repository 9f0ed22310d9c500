"""Arguments that name colour indexes."""

from __future__ import annotations

import os

import click

from debruijn_gpu.cli.color.outputs import INDEX_NAME
from debruijn_gpu.cli.paths import STANDARD_STREAM, InputFile
from debruijn_gpu.io.color_index.reading import is_color_index
from debruijn_gpu.io.kmer_sets.stored_bytes import first_bytes

_HEAD_BYTES = 16

index_argument = click.argument("path", type=InputFile(members=(INDEX_NAME,)), metavar="INDEX|DIR")


def index_path(path: str) -> str:
    """Return the path of an index, or of the one in a directory."""
    return os.path.join(path, INDEX_NAME) if os.path.isdir(path) else path


def is_index(path: str) -> bool:
    """Return whether a path names an index, by its content, or a directory."""
    if os.path.isdir(path):
        return True
    if path == STANDARD_STREAM or not os.path.isfile(path):
        return False
    return is_color_index(first_bytes(path, _HEAD_BYTES))
