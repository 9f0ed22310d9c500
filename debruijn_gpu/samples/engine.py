"""The protocol of samples, which are counted, and joined, in this process or elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from debruijn_gpu.backends.kmers.containers import JointCounts
from debruijn_gpu.kmers.engine import KmerEngine

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend
    from debruijn_gpu.run.options import RunOptions
    from debruijn_gpu.samples.options import SampleOptions
    from debruijn_gpu.samples.sheet import Sample
    from debruijn_gpu.sets.source import MarkedKmers

Result = TypeVar("Result", covariant=True)


class JointFunction(Protocol[Result]):
    """Works on the joint counts of one range of k-mers, arrays of the backend.

    A function of a module, or a partial one, which other processes find.
    """

    def __call__(self, joint: JointCounts, backend: AssemblyBackend, /) -> Result: ...


class CountedSamples(Protocol):
    """Counted samples.

    Attributes
    ----------
    names : tuple of str
    k : int
    canonical : bool
    sizes : list of int
        Number of distinct k-mers of each sample.
    """

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def k(self) -> int: ...

    @property
    def canonical(self) -> bool: ...

    @property
    def sizes(self) -> list[int]: ...

    def joined(
        self,
        function: JointFunction[Result],
        run: RunOptions,
        backend: AssemblyBackend,
        with_counts: bool = True,
        in_few: bool = False,
    ) -> Iterator[Result]:
        """Yield what a function makes of the joint counts of each range of k-mers, in ascending order.

        A range may be empty, and ranges depend on threads and memory. Sample i is number i.

        Parameters
        ----------
        function : JointFunction
        run : RunOptions
        backend : AssemblyBackend
            Of this process; elsewhere, functions get that of the place.
        with_counts, in_few : bool
            See `sets.joint.over_joined`.
        """

    def close(self) -> None:
        """Free memory and scratch space."""


class SampleCounter(Protocol):
    """Counts samples, in the steps of `count_samples`.

    Attributes
    ----------
    n_fastq : int
        Number of samples of FASTQ, once they are counted.
    """

    @property
    def n_fastq(self) -> int: ...

    def open_sets(self) -> Sequence[MarkedKmers]:
        """Open the samples that are sets of k-mers, and return them, in their order."""

    def count(self, k: int, canonical: bool) -> Iterator[int]:
        """Count the samples of sequences; yields how many are counted, now and then."""

    def counted(self, k: int, canonical: bool) -> CountedSamples:
        """Return all samples; k and whether k-mers are canonical are those of each."""

    def close(self) -> None:
        """Free memory and scratch space, where nothing was returned."""


class SampleEngine(Protocol):
    """Counts samples elsewhere, with the results of this process."""

    def counter(self, samples: Sequence[Sample], options: SampleOptions, run: RunOptions) -> SampleCounter:
        """Begin to count samples; see `samples.counting.count_samples`."""


class Engine(KmerEngine, SampleEngine, Protocol):
    """Counts reads and samples elsewhere."""
