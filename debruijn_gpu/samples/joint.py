"""Count samples, and join their counts to a sparse matrix, range by range of k-mers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from debruijn_gpu.backends.kmers.containers import JointCounts as JointCounts
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.samples.counting import count_samples
from debruijn_gpu.samples.options import SampleOptions
from debruijn_gpu.samples.sheet import Sample

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend


def joint_counts(
    samples: Sequence[Sample], options: SampleOptions, run: RunOptions, backend: AssemblyBackend
) -> Iterator[JointCounts]:
    """Count samples, and join their counts; see `count_samples` and `CountedSamples.joined`.

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
        yield from counted.joined(_on_host, run, backend)


def _on_host(joint: JointCounts, backend: AssemblyBackend) -> JointCounts:
    return joint.moved(backend.to_host)
