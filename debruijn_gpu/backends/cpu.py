"""The CPU backend: numba kernels without the GIL, driven by a thread pool."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from debruijn_gpu.backends.core.cpu import transfer

if TYPE_CHECKING:
    from debruijn_gpu.backends.arrays.protocol import ArrayOperations
    from debruijn_gpu.backends.circuits.protocol import HostCircuitOperations
    from debruijn_gpu.backends.graphs.protocol import HostGraphOperations
    from debruijn_gpu.backends.kmers.protocol import HostKmerOperations
    from debruijn_gpu.backends.reads.protocol import ReadOperations
    from debruijn_gpu.backends.screens.protocol import HostScreenOperations
    from debruijn_gpu.backends.sequences.protocol import HostSequenceOperations
    from debruijn_gpu.backends.spectra.protocol import HostSpectrumOperations
    from debruijn_gpu.backends.text.protocol import TextOperations
    from debruijn_gpu.backends.unitigs.host_protocol import HostUnitigOperations
    from debruijn_gpu.backends.vectors.protocol import VectorOperations


class CpuBackend:
    """Families of operations on the CPU, each imported when it is first used."""

    is_sequential = True
    block_items = 1 << 24
    to_device = staticmethod(transfer.to_device)
    to_host = staticmethod(transfer.to_host)
    fits = staticmethod(transfer.fits)
    synchronize = staticmethod(transfer.synchronize)
    memory_left = staticmethod(transfer.memory_left)
    host_buffer = staticmethod(transfer.host_buffer)
    memory_limit = staticmethod(transfer.memory_limit)
    spread = staticmethod(transfer.spread)
    here = staticmethod(transfer.here)
    current_device = staticmethod(transfer.current_device)

    @cached_property
    def arrays(self) -> ArrayOperations:
        from debruijn_gpu.backends.arrays import cpu

        return cpu

    @cached_property
    def reads(self) -> ReadOperations:
        from debruijn_gpu.backends.reads import cpu

        return cpu

    @cached_property
    def kmers(self) -> HostKmerOperations:
        from debruijn_gpu.backends.kmers import cpu

        return cpu

    @cached_property
    def graphs(self) -> HostGraphOperations:
        from debruijn_gpu.backends.graphs import cpu

        return cpu

    @cached_property
    def circuits(self) -> HostCircuitOperations:
        from debruijn_gpu.backends.circuits import cpu

        return cpu

    @cached_property
    def unitigs(self) -> HostUnitigOperations:
        from debruijn_gpu.backends.unitigs import cpu

        return cpu

    @cached_property
    def screens(self) -> HostScreenOperations:
        from debruijn_gpu.backends.screens import cpu

        return cpu

    @cached_property
    def sequences(self) -> HostSequenceOperations:
        from debruijn_gpu.backends.sequences import cpu

        return cpu

    @cached_property
    def spectra(self) -> HostSpectrumOperations:
        from debruijn_gpu.backends.spectra import cpu

        return cpu

    @cached_property
    def text(self) -> TextOperations:
        from debruijn_gpu.backends.text import cpu

        return cpu

    @cached_property
    def vectors(self) -> VectorOperations:
        from debruijn_gpu.backends.vectors import cpu

        return cpu


CPU = CpuBackend()
