"""Count samples, and join their counts to a sparse matrix, range by range of k-mers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from debruijn_gpu.backends.kmers.containers import JointCounts as JointCounts
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.samples.counting import CountedSamples, count_samples
from debruijn_gpu.samples.options import SampleOptions
from debruijn_gpu.samples.sheet import Sample
from debruijn_gpu.sets.joint import join_sets

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend


def joint_counts(
    samples: Sequence[Sample], options: SampleOptions, run: RunOptions, backend: AssemblyBackend
) -> Iterator[JointCounts]:
    """Count samples, and join their counts; see `count_samples` and `join_counted`, which do one each.

    Parameters
    ----------
    samples : sequence of Sample
        With different names, at least one.
    options : SampleOptions
    run : RunOptions
        Threads and memory change no result.
    backend : AssemblyBackend

    Yields
    ------
    JointCounts
        In memory of the host; k-mers ascend from part to part, and a part may be empty.
    """
    with closing(count_samples(samples, options, run, backend)) as counted:
        yield from join_counted(counted, run, backend)


def join_counted(
    counted: CountedSamples, run: RunOptions, backend: AssemblyBackend, with_counts: bool = True
) -> Iterator[JointCounts]:
    """Join the counts of samples, in memory of the host; sample i of the result is number i. See `join_sets`."""
    yield from join_sets(counted.sets, run, backend, with_counts)
