"""Errors of Python and of the loader that mean lack of memory."""

from __future__ import annotations

import errno
import os
import resource

#: Messages of the loader when a shared object does not fit into the address space
_NOT_LOADED = ("failed to map segment", "Cannot allocate memory", "Could not find/load shared object")


def lack_of_memory(error: BaseException) -> str:
    """Return what memory was missing for; empty if the error is another one."""
    if isinstance(error, MemoryError):
        return " ".join(str(error).split()) or "an allocation failed"
    if isinstance(error, OSError) and error.errno == errno.ENOMEM:
        return os.strerror(errno.ENOMEM)
    if isinstance(error, RuntimeError) and str(error) == "can't start new thread":
        return "no room for the stack of a thread"
    if isinstance(error, (ImportError, OSError)) and any(text in str(error) for text in _NOT_LOADED):
        if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
            return "the libraries do not fit into the address space that is allowed (ulimit -v)"
    return ""
