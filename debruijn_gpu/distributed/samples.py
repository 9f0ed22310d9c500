"""Samples on workers: counted there in groups, and joined there by ranges of codes."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.assembly.cluster_tasks import most_tasks
from debruijn_gpu.distributed import sample_tasks
from debruijn_gpu.distributed.cluster import least_memory, n_threads
from debruijn_gpu.errors import DbgError, ParameterError
from debruijn_gpu.run import log, progress
from debruijn_gpu.run.file_formats import kmc_stem
from debruijn_gpu.run.parallel import in_background
from debruijn_gpu.run.resources import memory_left
from debruijn_gpu.samples.engine import JointFunction, Result
from debruijn_gpu.samples.held import are_sets
from debruijn_gpu.samples.sheet import Sample, total_bytes
from debruijn_gpu.sets.ranges import split_codes

if TYPE_CHECKING:
    from distributed import Future

    from debruijn_gpu.backends.protocol import AssemblyBackend
    from debruijn_gpu.distributed.sample_tasks import GroupNotes, RemoteKmers
    from debruijn_gpu.distributed.submission import Exchange, Submission
    from debruijn_gpu.run.options import RunOptions
    from debruijn_gpu.samples.options import SampleOptions
    from debruijn_gpu.sets.source import MarkedKmers

_GROUPS_PER_THREAD = 4  # so that threads end at about the same time
_RANGES_PER_THREAD = 3
_SHARE = 0.25  # of a thread's memory, for what one range takes
_JOINT_BYTES = 40  # of each k-mer of a range beside itself: its row, sample and count, and room to copy them


class DaskCounter:
    """See `samples.engine.SampleCounter`: groups of samples are counted on workers.

    Parameters
    ----------
    submission : Submission
    samples, options, run
        See `samples.counting.count_samples`.

    Raises
    ------
    ParameterError
        If a file is none that workers could read.
    """

    def __init__(
        self, submission: Submission, samples: Sequence[Sample], options: SampleOptions, run: RunOptions
    ) -> None:
        self._given = {os.path.abspath(file): file for sample in samples for file in sample.files}
        for file in self._given.values():
            if not os.path.isfile(file) and kmc_stem(file) is None:
                raise ParameterError(f"{file}: not a regular file, which workers could read", "write it to a file")
        self._submission = submission
        self._options = options
        self._run = run
        self._names = tuple(sample.name for sample in samples)
        self._groups = _groups(samples, _GROUPS_PER_THREAD * n_threads(submission.client))
        self._made: dict[int, Future] = {}
        self._notes: dict[int, GroupNotes] = {}

    @property
    def n_fastq(self) -> int:
        """See `SampleCounter`."""
        return sum(notes.n_fastq for notes in self._notes.values())

    def open_sets(self) -> Sequence[MarkedKmers]:
        """See `SampleCounter.open_sets`."""
        for _n_done in self._worked([i for i, (_some, is_sets) in enumerate(self._groups) if is_sets], None):
            pass
        return self._sets()

    def count(self, k: int, canonical: bool) -> Iterator[int]:
        """See `SampleCounter.count`."""
        yield from self._worked([i for i, (_some, is_sets) in enumerate(self._groups) if not is_sets], (k, canonical))

    def _worked(self, which: list[int], kind: tuple[int, bool] | None) -> Iterator[int]:
        """Have some of the groups opened or counted, and note what comes of it; yields how many samples are."""
        submission = self._submission
        groups = [
            [replace(one, files=tuple(map(os.path.abspath, one.files))) for one in self._groups[i][0]] for i in which
        ]
        same = self._options, kind, submission.context
        made = submission.submit_all(sample_tasks.count_group, [(some,) for some in groups], *same)
        self._made.update(zip(which, made, strict=True))
        waited = submission.submit_all(sample_tasks.notes_of, [(one,) for one in made])
        n_done = 0
        try:
            for done in submission.waiter.finished(waited):
                self._notes[which[done]] = self._as_given(waited[done].result())
                n_done += len(groups[done])
                yield n_done
        except DbgError as error:
            for path, file in self._given.items():
                error.what = error.what.replace(path, file)
            raise

    def _as_given(self, notes: GroupNotes) -> GroupNotes:
        """Name sets of k-mers by their files as given, as one process does."""
        return replace(notes, sets=[replace(one, name=self._given.get(one.name, one.name)) for one in notes.sets])

    def _sets(self) -> list[RemoteKmers]:
        """The sets of k-mers there are, in the order of the samples."""
        return [one for i in sorted(self._notes) for one in self._notes[i].sets]

    def counted(self, k: int, canonical: bool) -> DaskSamples:
        """See `SampleCounter.counted`."""
        for message in (text for i in sorted(self._notes) for text in self._notes[i].warnings):
            log.logger.warning("%s", message)
        groups = [self._made[i] for i in range(len(self._groups))]
        return DaskSamples(self._submission, groups, self._names, self._sets(), k, canonical, self._run)

    def close(self) -> None:
        """Let go of what the workers hold."""
        self._made.clear()


class DaskSamples:
    """Counted samples on workers; see `samples.engine.CountedSamples`.

    Parameters
    ----------
    submission : Submission
    groups : list of Future
        Of `sample_tasks.CountedGroup`, in the order of the samples.
    names : tuple of str
    sets : list of RemoteKmers
        Of all samples.
    k : int
    canonical : bool
    run : RunOptions
        Of this process.
    """

    def __init__(
        self,
        submission: Submission,
        groups: list[Future],
        names: tuple[str, ...],
        sets: list[RemoteKmers],
        k: int,
        canonical: bool,
        run: RunOptions,
    ) -> None:
        self.names, self.k, self.canonical = names, k, canonical
        self._submission = submission
        self._exchange: Exchange | None = submission.exchange(groups)
        self._sets = sets
        self._run = run

    @property
    def sizes(self) -> list[int]:
        """Number of distinct k-mers of each sample."""
        return [len(one) for one in self._sets]

    def joined(
        self,
        function: JointFunction[Result],
        run: RunOptions,
        backend: AssemblyBackend,
        with_counts: bool = True,
        in_few: bool = False,
    ) -> Iterator[Result]:
        """See `CountedSamples.joined`: workers call the function, each on a range of codes."""
        submission = self._submission
        assert self._exchange is not None
        ranges = [(interval,) for interval in split_codes(self._sets, self._range_kmers())]
        same = self._exchange.directory, function, with_counts, submission.context
        futures = submission.submit_all(sample_tasks.join_range, ranges, *same)
        with closing(in_background(self._results(futures), ahead=True)) as results:
            yield from results

    def _results(self, futures: list[Future]) -> Iterator[Any]:
        """Yield the results in order, and let go of each."""
        n = len(futures)
        for done in range(1, n + 1):
            future = futures.pop(0)
            for held in self._submission.waiter.result(future):
                yield held.load()
            del future
            progress.update(done, n, "ranges of k-mers")

    def _range_kmers(self) -> int:
        """k-mers of all samples in a range: as many as fit a thread of each worker, and this process."""
        client = self._submission.client
        n_kmers = sum(map(len, self._sets))
        left = min(least_memory(client), memory_left(self._run.memory))
        most = max(1, int(_SHARE * left) // (_JOINT_BYTES + 8 * words_per_kmer(self.k)))
        n_ranges = min(_RANGES_PER_THREAD * n_threads(client), most_tasks(n_kmers))
        return min(most, math.ceil(n_kmers / n_ranges) or 1)

    def close(self) -> None:
        """Let go of what the workers hold."""
        self._exchange = None


def _groups(samples: Sequence[Sample], n_wanted: int) -> list[tuple[list[Sample], bool]]:
    """Split samples into groups, in order, of about equal size; each is of sets (True) or of sequences alone."""
    at_least = total_bytes(samples) / n_wanted
    found: list[tuple[list[Sample], bool]] = []
    size = 0.0
    for sample in samples:
        is_sets = are_sets(sample)
        if not found or found[-1][1] != is_sets or size >= at_least:
            found.append(([], is_sets))
            size = 0.0
        found[-1][0].append(sample)
        size += total_bytes([sample])
    return found
