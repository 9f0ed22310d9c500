"""Backends: where the operations of `interface.Backend` run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from debruijn_gpu import log
from debruijn_gpu.errors import CudaUnavailableError

if TYPE_CHECKING:
    from debruijn_gpu.backends.array_interface import ArrayBackend
    from debruijn_gpu.backends.interface import Backend
    from debruijn_gpu.options import RunOptions


def load(options: RunOptions) -> Backend:
    """The backend that ``--backend`` names; ``auto`` is the CPU so far."""
    from debruijn_gpu.backends import cpu
    from debruijn_gpu.resources import allowed_cpus

    if options.backend == "cuda":
        raise CudaUnavailableError("CUDA cannot be used: this command does not run on GPUs yet", "use --backend cpu")
    log.logger.debug("backend: cpu%s", " (auto: the only one yet)" if options.backend == "auto" else "")
    cpu.pool.configure(options.threads or allowed_cpus())
    return cpu


def load_cuda(options: RunOptions) -> ArrayBackend:
    """The CUDA backend, with the memory that ``--gpu-memory`` allows.

    Raises
    ------
    CudaUnavailableError
        If it cannot be used; says all that is in the way.
    """
    from debruijn_gpu.backends.detect import cuda_problems

    problems = cuda_problems()
    if problems:
        raise CudaUnavailableError(
            f"CUDA cannot be used: {'; '.join(problems)}", "mend that, or run with --backend cpu; dbg doctor tells more"
        )
    from debruijn_gpu.backends import cuda

    cuda.set_budget(options.gpu_memory)
    return cuda
