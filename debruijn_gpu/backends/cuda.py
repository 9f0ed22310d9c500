"""The CUDA backend: CuPy arrays and sorts, kernels of numba-cuda."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from debruijn_gpu.backends.core.cuda import devices, group, memory, runtime

if TYPE_CHECKING:
    from debruijn_gpu.backends.arrays.protocol import ArrayOperations
    from debruijn_gpu.backends.circuits.protocol import CircuitOperations
    from debruijn_gpu.backends.graphs.protocol import GraphOperations
    from debruijn_gpu.backends.kmers.protocol import KmerOperations
    from debruijn_gpu.backends.reads.protocol import ReadOperations
    from debruijn_gpu.backends.screens.protocol import ScreenOperations
    from debruijn_gpu.backends.sequences.protocol import SequenceOperations
    from debruijn_gpu.backends.spectra.protocol import SpectrumOperations
    from debruijn_gpu.backends.unitigs.protocol import UnitigOperations
    from debruijn_gpu.backends.vectors.protocol import VectorOperations


class CudaBackend:
    """Families of operations on the GPU, each imported when it is first used."""

    is_sequential = False
    block_items = 1 << 28  # enough for all threads
    to_device = staticmethod(memory.to_device)
    to_host = staticmethod(runtime.to_host)
    fits = staticmethod(memory.fits)
    synchronize = staticmethod(runtime.synchronize)
    memory_left = staticmethod(memory.memory_left)
    host_buffer = staticmethod(runtime.host_buffer)
    memory_limit = staticmethod(memory.memory_limit)
    spread = staticmethod(group.spread)
    here = staticmethod(devices.here)
    current_device = staticmethod(devices.current)

    @cached_property
    def arrays(self) -> ArrayOperations:
        from debruijn_gpu.backends.arrays import cuda

        return cuda

    @cached_property
    def reads(self) -> ReadOperations:
        from debruijn_gpu.backends.reads import cuda

        return cuda

    @cached_property
    def kmers(self) -> KmerOperations:
        from debruijn_gpu.backends.kmers import cuda

        return cuda

    @cached_property
    def graphs(self) -> GraphOperations:
        from debruijn_gpu.backends.graphs import cuda

        return cuda

    @cached_property
    def circuits(self) -> CircuitOperations:
        from debruijn_gpu.backends.circuits import cuda

        return cuda

    @cached_property
    def unitigs(self) -> UnitigOperations:
        from debruijn_gpu.backends.unitigs import cuda

        return cuda

    @cached_property
    def screens(self) -> ScreenOperations:
        from debruijn_gpu.backends.screens import cuda

        return cuda

    @cached_property
    def sequences(self) -> SequenceOperations:
        from debruijn_gpu.backends.sequences import cuda

        return cuda

    @cached_property
    def spectra(self) -> SpectrumOperations:
        from debruijn_gpu.backends.spectra import cuda

        return cuda

    @cached_property
    def vectors(self) -> VectorOperations:
        from debruijn_gpu.backends.vectors import cuda

        return cuda


CUDA = CudaBackend()
