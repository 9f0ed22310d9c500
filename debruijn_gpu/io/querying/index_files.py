"""Read the samples that a query is run against: a colour index, or sets of k-mers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from debruijn_gpu import backends
from debruijn_gpu.colors.building import build_color_index
from debruijn_gpu.errors import UsageError
from debruijn_gpu.io.color_index.reading import is_color_index, read_color_index
from debruijn_gpu.io.kmer_sets.files import open_set
from debruijn_gpu.io.kmer_sets.stored_bytes import stored_bytes
from debruijn_gpu.io.opening import check_readable
from debruijn_gpu.io.screening.references import name_of_file
from debruijn_gpu.querying.colored_kmers import ColoredKmers, colored_by_index, colored_by_set
from debruijn_gpu.run import log
from debruijn_gpu.run.file_formats import kmc_stem
from debruijn_gpu.run.options import RunOptions

_HEAD_BYTES = 1 << 6


def read_samples(paths: Sequence[str], run: RunOptions) -> ColoredKmers:
    """Open a colour index, or load sets of k-mers: samples that are called like their files. Close the k-mers.

    Raises
    ------
    InputNotFoundError, FileAccessError
        If a file is not there or cannot be read.
    FormatError
        If a file is neither, or damaged.
    ParameterError
        If sets differ in k, or only some of them are canonical.
    UsageError
        If a colour index is given with other files, or two sets have one name.
    OutOfMemoryError
        If the k-mers do not fit into the memory that is left.
    """
    for path in paths:
        check_readable(path)
    with log.stage("load k-mers", unit="k-mers") as stage:
        colored = _colored(paths, run)
        stage.items = len(colored)
    return colored


def _colored(paths: Sequence[str], run: RunOptions) -> ColoredKmers:
    """Load a colour index, or sets of k-mers."""
    names = list[str]()
    with ExitStack() as stack:
        sets = []
        for path in paths:
            stored = stored_bytes(path) if kmc_stem(path) is None else None
            if stored is not None and is_color_index(stored[:_HEAD_BYTES].tobytes()):
                if len(paths) > 1:
                    raise UsageError(f"{path}: a colour index is queried alone", "give one .dbgc, or sets of k-mers")
                return colored_by_index(read_color_index(path, stored))
            names.append(name_of_file(path))
            if names[-1] in names[:-1]:
                raise UsageError(f"{path}: a set called {names[-1]} is given already", "rename a file")
            sets.append(open_set(path, run, stored=stored).kmers)
            stack.callback(sets[-1].close)
        if len(sets) == 1:
            stack.pop_all()  # it is read when it is indexed
            return colored_by_set(names[0], sets[0])
        # ranges of k-mers wait in temporary files where memory is short
        return colored_by_index(build_color_index(sets, tuple(names), run, backends.host()))
