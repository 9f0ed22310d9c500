"""Walks as NumPy files."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from debruijn_gpu.graph.walks import Walks


def write_walk_arrays(stream: BinaryIO, walks: Walks, file_format: str) -> None:
    """Write the edge ids of all walks, one after another (``npy``), or with them where each begins (``npz``).

    Parameters
    ----------
    stream : BinaryIO
    walks : Walks
    file_format : str
        ``npy``, or ``npz`` with the arrays of `Walks`.
    """
    if file_format == "npy":
        np.save(stream, walks.steps)
    else:
        np.savez(stream, offsets=walks.offsets, steps=walks.steps, circular=walks.circular)
