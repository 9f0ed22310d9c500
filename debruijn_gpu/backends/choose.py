"""Choose the CPU backend, or a GPU where one is usable and faster."""

from __future__ import annotations

from debruijn_gpu.errors import CudaUnavailableError

TYPE_CHECKING = False  # `dbg --help` imports this module: what takes time to import is imported when called
if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import Backend, HostBackend
    from debruijn_gpu.run.options import RunOptions

_avoided = ""  # why ``auto`` leaves the GPU alone from now on
_took_cuda = False


def begin_command() -> None:
    """Let ``auto`` choose freely, whatever happened to an earlier command of this process."""
    global _avoided, _took_cuda
    _avoided, _took_cuda = "", False


def took_cuda_by_itself() -> bool:
    """Whether ``auto`` chose the GPU since the command began."""
    return _took_cuda


def avoid_cuda(why: str) -> None:
    """Let ``auto`` choose the CPU from now on: the GPU has failed."""
    global _avoided
    _avoided = why


def load(options: RunOptions) -> HostBackend:
    """The backend of a command that runs on the CPU alone."""
    from debruijn_gpu.backends.core.cpu import threads
    from debruijn_gpu.backends.cpu import CPU

    if options.backend == "cuda":
        raise CudaUnavailableError("CUDA cannot be used: this command does not run on GPUs", "use --backend cpu")
    threads.configure(options.n_threads)
    return CPU


def host() -> HostBackend:
    """The backend that reads and writes, as it is."""
    from debruijn_gpu.backends.cpu import CPU

    return CPU


def of(array: object) -> Backend:
    """The backend whose arrays this is one of: NumPy's are the CPU's."""
    import numpy as np

    if isinstance(array, np.ndarray):
        return host()
    from debruijn_gpu.backends.cuda import CUDA

    return CUDA


def load_arrays(options: RunOptions, operation: str, n_bytes: int) -> Backend:
    """The backend for an operation; says in the log which and why.

    Parameters
    ----------
    options : RunOptions
        ``auto`` takes CUDA where it can be used and the input is large enough for it to pay.
    operation : str
        A name of `cutovers.DEFAULTS`.
    n_bytes : int
        Size of the input.

    Raises
    ------
    CudaUnavailableError
        If CUDA is asked for and cannot be used.
    """
    from dataclasses import replace

    from debruijn_gpu.run import log

    why, is_auto = "", options.backend == "auto"
    if is_auto:
        why = _avoided or ("" if _asks_for_several(options) else _why_not_cuda(operation, n_bytes))
        options = replace(options, backend="cpu", gpus="1") if why else replace(options, backend="cuda")
    backend = load_cuda(options) if options.backend == "cuda" else load(options)
    name = _device_name(options)
    if is_auto:
        several = f" ({name})" if _asks_for_several(options) else ""
        said = log.logger.info if why else log.report
        said("backend: %s", f"cpu ({why})" if why else f"cuda{several}")
        _note_choice(not why)
    log.note_backend(options.backend, name, why)
    return backend


def _asks_for_several(options: RunOptions) -> bool:
    """Whether more than one GPU is asked for by number, which auto does not refuse."""
    return options.gpus not in ("1", "all")


def _note_choice(is_cuda: bool) -> None:
    global _took_cuda
    _took_cuda = _took_cuda or is_cuda


def _device_name(options: RunOptions) -> str:
    """Return the model of the processor that a backend runs on, and the number of GPUs if there are several."""
    from debruijn_gpu.backends.core.detection import device_name, wanted_devices
    from debruijn_gpu.run.resources import cpu_model

    if options.backend == "cpu":
        return cpu_model()
    n = len(wanted_devices(options.gpus))
    return device_name() if n == 1 else f"{n} x {device_name()}"


def _why_not_cuda(operation: str, n_bytes: int) -> str:
    """Why ``auto`` leaves the GPU alone; empty if it does not."""
    from debruijn_gpu.backends.core.detection import cuda_problems
    from debruijn_gpu.backends.crossover import NEVER, crossover_bytes
    from debruijn_gpu.run.resources import format_bytes

    least = crossover_bytes(operation)
    if n_bytes < least:
        if least >= NEVER:
            return f"a GPU is not faster for {operation}"
        return f"a GPU is faster for {operation} above {format_bytes(least)}, and this is {format_bytes(n_bytes)}"
    return "; ".join(cuda_problems())


def load_cuda(options: RunOptions) -> Backend:
    """The CUDA backend, with the GPUs that ``--gpus`` asks for, and of each the memory that ``--gpu-memory`` allows.

    Raises
    ------
    CudaUnavailableError
        If it cannot be used; says all that is in the way. Also if there are fewer GPUs.
    """
    from debruijn_gpu.backends.core import startup
    from debruijn_gpu.backends.core.detection import cuda_problems, wanted_devices

    startup.open_device()
    problems = cuda_problems()
    if problems:
        raise CudaUnavailableError(
            f"CUDA cannot be used: {'; '.join(problems)}",
            "correct that, or run with --backend cpu; dbg doctor reports details",
        )
    wanted = wanted_devices(options.gpus)
    from debruijn_gpu.backends.core.cuda import devices, memory
    from debruijn_gpu.backends.cuda import CUDA

    devices.use(wanted)
    for device in wanted:
        with devices.on(device):
            memory.set_budget(options.gpu_memory)
    return CUDA
