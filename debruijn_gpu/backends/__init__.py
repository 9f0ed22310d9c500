"""Backends: where the operations of `interface.Backend` run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from debruijn_gpu import log

if TYPE_CHECKING:
    from debruijn_gpu.backends.interface import Backend
    from debruijn_gpu.options import RunOptions


def load(options: RunOptions) -> Backend:
    """The backend that ``--backend`` names; ``auto`` is the CPU so far."""
    from debruijn_gpu.backends import cpu
    from debruijn_gpu.resources import allowed_cpus

    log.logger.debug("backend: cpu%s", " (auto: the only one yet)" if options.backend == "auto" else "")
    cpu.pool.configure(options.threads or allowed_cpus())
    return cpu
