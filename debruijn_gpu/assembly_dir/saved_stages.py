"""Stages of an assembly in checkpoints: what is saved of each, and how a run continues with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.options import AssembleOptions
from debruijn_gpu.assembly.partitioned import partition_chooser
from debruijn_gpu.assembly.result import KmerCounts
from debruijn_gpu.assembly.thresholds import corrects_bases, held_word_bp
from debruijn_gpu.assembly_dir.checkpoints import Checkpoints
from debruijn_gpu.assembly_dir.progress import KMERS, Progress, graph_arrays, loaded_progress, structures_of
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.io.fastx.reads import read_batches
from debruijn_gpu.kmers.partitions import Kmers
from debruijn_gpu.kmers.reads_in_use import reads_again
from debruijn_gpu.kmers.saved_kmers import Part, SavedKmers, load_kmers, parts_of
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.reads.read_statistics import LengthMeter, ReadLengths
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import memory_left
from debruijn_gpu.run.room import make_room

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend

#: K-mers, reads that may be read again, and choices
Counted = tuple[Kmers, Iterable[ReadBatch], KmerCounts]
#: Adds what is in the parts of a checkpoint to its members
PartsAdder: TypeAlias = Callable[[dict[str, Any], Iterator[list[NDArray[Any]]]], dict[str, Any]]


class SavedStages:
    """Stages of an assembly that are saved when they end, and loaded when a run continues.

    Parameters
    ----------
    checkpoints : Checkpoints or None
        None: nothing is saved or loaded.
    continues : bool
        Load the stages of an earlier run.
    """

    def __init__(self, checkpoints: Checkpoints | None = None, continues: bool = False) -> None:
        self._checkpoints = checkpoints
        self._continues = continues
        self._counted: tuple[Kmers, KmerCounts] | None = None

    def resume(self, run: RunOptions, backend: AssemblyBackend) -> Progress:
        """Load the stages that an earlier run finished, and log their names.

        Parameters
        ----------
        run : RunOptions
        backend : AssemblyBackend
            Whose arrays those of the graph will be.

        Raises
        ------
        OutOfMemoryError
            If the memory that is left does not suffice for the graph of a checkpoint.
        """
        checkpoints, progress = self._checkpoints, None
        if checkpoints is None or not self._continues:
            return Progress()
        record, done = log.current_run().record, []
        if (counted := self._load(KMERS, run, partial(_with_kmers, run, backend))) is not None:
            self._counted, record.earlier_stages = (counted["kmers"], counted["counts"]), counted["stages"]
            done.append("k-mers counted")
        for name in reversed([name for name in checkpoints.names if name != KMERS]):
            if progress is None and (found := self._load(name, run)) is not None:
                progress, record.earlier_stages = loaded_progress(found, backend), found["stages"]
                done += progress.finished
        record.resumed = done
        if done:
            again = "; k-mers are counted again" * (self._counted is None)
            log.report("continuing: %s%s", ", ".join(done), again)
        else:
            log.report("no checkpoint in %s: starting from the beginning", checkpoints.directory)
        return progress or Progress()

    @contextmanager
    def counted(
        self,
        counting: AbstractContextManager[Counted],
        progress: Progress,
        inputs: ReadInputs,
        options: AssembleOptions,
        run: RunOptions,
        backend: AssemblyBackend,
    ) -> Iterator[Counted]:
        """Yield k-mers, reads and choices: the saved ones, or else those of ``counting``, which are then saved.

        Parameters
        ----------
        counting : context manager
            Of `pipeline.counted_reads`; not entered if its results are saved.
        progress : Progress
            Decides whether reads are needed: then they are read from the inputs again.
        inputs, options, run, backend
            See `pipeline.assemble`.

        Raises
        ------
        ParameterError
            If the reads are not those that were counted.
        """
        found, self._counted = self._counted, None
        if found is None:
            with counting as (table, used, counts):
                if self._is_due:
                    self._save(KMERS, {"kmers": SavedKmers.of(table), "counts": counts}, parts_of(table, backend))
                tables: list[Kmers] = [table]
                del table
                yield tables.pop(), used, counts
            return
        with ExitStack() as stack:
            tables, counts = [found[0]], found[1]
            del found
            reads: Iterable[ReadBatch] = ()
            uses_reads = bool(inputs.n_paired and options.pairs) or held_word_bp(options, counts) > 0
            uses_reads = uses_reads or corrects_bases(options.clean, counts)
            if progress.needs_reads(len(counts.choice.ks), uses_reads):
                reads = stack.enter_context(_same_reads(inputs, counts, options.trim, run, backend))
            yield tables.pop(), reads, counts

    def save(self, progress: Progress, backend: AssemblyBackend) -> None:
        """Save the state after a round, or after reads were placed."""
        if progress.graph is not None and self._is_due:
            self._save(progress.name, {**vars(progress), "graph": graph_arrays(progress.graph.moved(backend.to_host))})

    @property
    def _is_due(self) -> bool:
        return self._checkpoints is not None and self._checkpoints.is_due

    def _save(self, name: str, members: dict[str, Any], parts: Iterable[Part] = ()) -> None:
        """Save members, the stages up to now, and parts that are not in memory together."""
        assert self._checkpoints is not None
        run = log.current_run()
        stages = [*run.record.earlier_stages, *(stage.record() for stage in run.stages)]
        arrays: list[NDArray[Any]] = []
        value = structures_of(name).encode({**members, "stages": stages}, arrays)
        self._checkpoints.save(name, value, arrays, parts)

    def _load(self, name: str, run: RunOptions, add_parts: PartsAdder | None = None) -> dict[str, Any] | None:
        """Load the members of a stage; None if it is not saved, or damaged."""
        assert self._checkpoints is not None
        if name not in self._checkpoints.names:
            return None
        needed, fix = self._checkpoints.n_bytes(name), "allow more memory (-m)"
        make_room(needed, f"the checkpoint {name}", lambda: memory_left(run.memory), fix)

        def members(value: Any, arrays: list[NDArray[Any]], parts: Iterator[Part]) -> dict[str, Any]:
            found: dict[str, Any] = structures_of(name).decode(value, arrays)
            return found if add_parts is None else add_parts(found, parts)

        loaded: dict[str, Any] | None = self._checkpoints.load(name, members)
        return loaded


def _with_kmers(
    run: RunOptions, backend: AssemblyBackend, found: dict[str, Any], parts: Iterator[Part]
) -> dict[str, Any]:
    """Load the k-mers that a checkpoint describes: in a table, or in partitions if their graph does not fit."""
    saved: SavedKmers = found["kmers"]
    n_partitions = partition_chooser(saved.k, run, backend)(saved.n_kmers)
    with log.stage("load k-mers", saved.n_kmers, "k-mers"):
        return {**found, "kmers": load_kmers(saved, parts, n_partitions, run, backend)}


#: Neither saves nor loads stages
NOT_SAVED = SavedStages()


@contextmanager
def _same_reads(
    inputs: ReadInputs, counts: KmerCounts, trim: str, run: RunOptions, backend: AssemblyBackend
) -> Iterator[Iterable[ReadBatch]]:
    """Read, trim and subsample the reads again that k-mers were counted of."""
    given = LengthMeter(backend.to_host)
    batches = given.through(read_batches(inputs, backend, threads=run.threads, memory=run.memory))
    with reads_again(batches, given, trim, counts.limit, run, backend) as (reads, used):
        if not (_are_equal(given.lengths, counts.given) and _are_equal(used.lengths, counts.lengths)):
            raise ParameterError(
                f"{', '.join(inputs.paths)}: not the reads that the checkpoints are of: expected "
                f"{counts.given.n_reads:,} with {counts.given.n_bases:,} bases, got {given.lengths.n_reads:,} with "
                f"{given.lengths.n_bases:,}",
                "restore the files, or leave --continue out to start from the beginning",
            )
        yield reads


def _are_equal(one: ReadLengths, other: ReadLengths) -> bool:
    return np.array_equal(one.lengths, other.lengths) and np.array_equal(one.numbers, other.numbers)
