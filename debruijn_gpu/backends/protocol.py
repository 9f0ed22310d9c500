"""Define a backend: an object with one attribute for each family of operations.

A stage annotates its backend with the families that it needs. The backend itself transfers arrays and knows the limits
of its memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from debruijn_gpu.backends.core.protocol import CoreOperations

if TYPE_CHECKING:
    from debruijn_gpu.backends.arrays.protocol import ArrayOperations
    from debruijn_gpu.backends.circuits.protocol import CircuitOperations, HostCircuitOperations
    from debruijn_gpu.backends.graphs.protocol import GraphOperations, HostGraphOperations
    from debruijn_gpu.backends.kmers.protocol import HostKmerOperations, KmerOperations
    from debruijn_gpu.backends.reads.protocol import ReadOperations
    from debruijn_gpu.backends.screens.protocol import HostScreenOperations, ScreenOperations
    from debruijn_gpu.backends.sequences.protocol import HostSequenceOperations, SequenceOperations
    from debruijn_gpu.backends.spectra.protocol import HostSpectrumOperations, SpectrumOperations
    from debruijn_gpu.backends.text.protocol import TextOperations
    from debruijn_gpu.backends.unitigs.host_protocol import HostUnitigOperations
    from debruijn_gpu.backends.unitigs.protocol import UnitigOperations
    from debruijn_gpu.backends.vectors.protocol import VectorOperations


class ArrayBackend(CoreOperations, Protocol):
    """Families for plain arrays."""

    @property
    def arrays(self) -> ArrayOperations: ...


class ReadBackend(ArrayBackend, Protocol):
    """Families for reads."""

    @property
    def reads(self) -> ReadOperations: ...


class KmerBackend(ReadBackend, Protocol):
    """Families for k-mers."""

    @property
    def kmers(self) -> KmerOperations: ...


class GraphBackend(ArrayBackend, Protocol):
    """Families for graphs and Euler circuits."""

    @property
    def graphs(self) -> GraphOperations: ...

    @property
    def circuits(self) -> CircuitOperations: ...


class UnitigBackend(GraphBackend, Protocol):
    """Families for unitigs."""

    @property
    def unitigs(self) -> UnitigOperations: ...


class ScreenBackend(ReadBackend, Protocol):
    """Families for reads and the references that they are screened against."""

    @property
    def screens(self) -> ScreenOperations: ...


class AssemblyBackend(KmerBackend, ScreenBackend, UnitigBackend, Protocol):
    """Families for the assembly of reads."""


class SequenceBackend(GraphBackend, Protocol):
    """Families for sequences of symbols."""

    @property
    def sequences(self) -> SequenceOperations: ...


class SpectrumBackend(ArrayBackend, Protocol):
    """Families for mass spectra."""

    @property
    def spectra(self) -> SpectrumOperations: ...


class VectorBackend(ArrayBackend, Protocol):
    """Families for fixed-point vectors."""

    @property
    def vectors(self) -> VectorOperations: ...


class TextBackend(Protocol):
    """The family for text on the host."""

    @property
    def text(self) -> TextOperations: ...


class Backend(AssemblyBackend, SequenceBackend, SpectrumBackend, VectorBackend, Protocol):
    """All families that each backend has."""


class HostBackend(Backend, TextBackend, Protocol):
    """All families of the CPU, with operations that no other backend has."""

    @property
    def kmers(self) -> HostKmerOperations: ...

    @property
    def graphs(self) -> HostGraphOperations: ...

    @property
    def circuits(self) -> HostCircuitOperations: ...

    @property
    def screens(self) -> HostScreenOperations: ...

    @property
    def sequences(self) -> HostSequenceOperations: ...

    @property
    def spectra(self) -> HostSpectrumOperations: ...

    @property
    def unitigs(self) -> HostUnitigOperations: ...
