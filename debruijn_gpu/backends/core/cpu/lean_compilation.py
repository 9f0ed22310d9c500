"""Let numba compile a function once: without machine code for this process, and without optimising what it calls apart.

Numba optimises each function, makes machine code of it, and does the same again for the functions that call it, into
which it may be built. Kernels are called from no other place, and their machine code is made by `compiler`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core import codegen, cpu
from numba.core.compiler_lock import global_compiler_lock

_library: Any = getattr(codegen, "CPUCodeLibrary", None)
_context: Any = getattr(cpu, "CPUContext", None)
#: What is replaced or called; none of it is public.
_NAMES = (
    (_context, "get_executable"),
    (_library, "_optimize_final_module"),
    (_library, "_finalize_final_module"),
    (_library, "_finalize_dynamic_globals"),
    (_library, "_ensure_finalized"),
)
_IS_KNOWN = all(hasattr(*name) for name in _NAMES) and hasattr(_dynfunc, "make_function")


@contextmanager
def functions_once() -> Iterator[None]:
    """Compile functions to LLVM's instructions and no further; other threads, which could call them, wait.

    With a numba of a version that is not known here, functions are compiled in the usual way.
    """
    with global_compiler_lock, ExitStack() as undo:
        if _IS_KNOWN:
            _replace(undo, _context, "get_executable", _name_only)
            _replace(undo, _library, "_optimize_final_module", lambda library: None)
            _replace(undo, _library, "_finalize_final_module", _note_final)
        yield


def optimised(library: Any) -> Any:
    """Return a copy of the LLVM module of a function that was compiled in `functions_once`, with all that it calls.

    Raises
    ------
    AttributeError
        With a numba of a version that is not known here.
    """
    with global_compiler_lock, ExitStack() as undo:
        if _IS_KNOWN:
            _replace(undo, _library, "_finalize_final_module", _note_final)
            library._ensure_finalized()
        return library._final_module.clone()


def _replace(undo: ExitStack, owner: Any, name: str, function: Any) -> None:
    undo.callback(setattr, owner, name, getattr(owner, name))
    setattr(owner, name, function)


def _name_only(context: Any, library: Any, description: Any, environment: Any) -> Any:
    """What numba knows a compiled function by, without machine code to call."""
    name = description.qualname.rpartition(".")[2]
    return _dynfunc.make_function(description.lookup_module(), name, "", 0, environment, (library,))


def _note_final(library: Any) -> None:
    """Have a module complete without machine code in this process."""
    library._finalize_dynamic_globals()
    library._finalized = True
