"""Compile kernels for another process, which runs `main` (see `ahead`).

Reads a request from each line of standard input (see `ahead.Request`) and answers with a line: empty if the kernel is
in the store now, else what is wrong. Ends with its input.
"""

from __future__ import annotations

import gc
import os
import signal
import sys

from debruijn_gpu.backends.core import kernel_store, startup
from debruijn_gpu.backends.core.ahead import Request
from debruijn_gpu.backends.core.kernel_names import find

_FEWER_COLLECTIONS = 50_000


def main() -> None:
    """Answer requests until there are none."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # end without a word when the one that asks is interrupted
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing else may write to the answers
    startup.leave_out_scipy()
    gc.set_threshold(_FEWER_COLLECTIONS)  # compilers make millions of objects that stay: a fifth of the time
    for line in sys.stdin:
        answers.write(f"{answer(Request.parse(line))}\n")


def answer(request: Request) -> str:
    """Compile a kernel and keep it, unless it is in the store; return what is wrong."""
    try:
        _compile(request)
    except Exception as error:
        return " ".join(f"{type(error).__name__}: {error}".split())
    return ""


def _compile(request: Request) -> None:
    function = find(request.module, request.path)
    name = kernel_store.name_of(function, request.signature)
    if name is not None and not kernel_store.is_there(request.target, name):
        kernel_store.keep(request.target, name, compiled(request, name))


def compiled(request: Request, name: str) -> bytes:
    """What the store keeps of a kernel."""
    function = find(request.module, request.path)
    if request.backend == "cpu":
        from debruijn_gpu.backends.core.cpu.store import content_of

        return content_of(function, request.signature, name, request.target)
    from debruijn_gpu.backends.core.cuda.store import content_for

    return content_for(function, request.signature, request.target)
