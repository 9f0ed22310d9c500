"""Decorators of CPU kernels: functions that are looked up in the store, or compiled, when they are called."""

from __future__ import annotations

import ctypes
import importlib
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

from debruijn_gpu.backends.core import kernel_store
from debruijn_gpu.backends.core.cpu.arguments import (
    n_result_words,
    n_words,
    pack,
    signature_of,
    split_signature,
    unpacker,
)
from debruijn_gpu.backends.core.cpu.store import find_or_compile
from debruijn_gpu.backends.core.deferred import Function, NotKeptError

_EXCEPTION_WORDS = 2


class Kernel(Function):
    """A function that is compiled for the types of the arguments that it is called with.

    It takes arrays, numbers, None and tuples of these, by position, and returns as much; it releases the interpreter's
    lock. Kernels can call each other.

    Parameters
    ----------
    function : callable
    is_strided : bool
        Compile it for arrays of two dimensions of any layout, once, and not for contiguous ones apart.
    **options
        Of the compiler.
    """

    def __init__(self, function: Callable[..., Any], is_strided: bool = False, **options: bool) -> None:
        super().__init__(function, **options)
        self._is_strided = is_strided
        self._entries: dict[tuple[Any, ...], Callable[[list[int], Any], Any]] = {}
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self.__qualname__, self.__module__ = function.__qualname__, function.__module__

    def __call__(self, *args: Any) -> Any:
        words: list[int] = []
        key: list[Any] = []
        pack(args, words, key)
        types = tuple(key)
        call = self._entries.get(types)
        if call is None:
            signature = signature_of(args)
            call = _make_call(self, signature.replace(":2C", ":2A") if self._is_strided else signature)
            self._entries[types] = call
        return call(words, args)


def _make_call(kernel: Kernel, signature: str) -> Callable[[list[int], Any], Any]:
    """A function that runs a compiled kernel on the words of its arguments, and on these for what they own."""
    try:
        found = find_or_compile(kernel, signature)
    except NotKeptError as error:
        kernel_store.note_not_kept(kernel, error)
        compiled = importlib.import_module("debruijn_gpu.backends.core.cpu.compiler").callable_of(kernel)
        return lambda words, args: compiled(*args)
    entry, unpack = found.entry, unpacker(found.result)
    n = sum(map(n_words, split_signature(signature)))
    row_type = ctypes.c_uint64 * (n + max(n_result_words(found.result), _EXCEPTION_WORDS))

    def call(words: list[int], args: Any) -> Any:
        row = row_type(*words)
        if entry(row):
            raise _exception(row[n], row[n + 1])
        return unpack(iter(row[n:]), args)

    def call_for_nothing(words: list[int], args: Any) -> None:
        row = row_type(*words)
        if entry(row):
            raise _exception(row[n], row[n + 1])

    return call_for_nothing if found.result == "-" else call


def _exception(address: int, size: int) -> Exception:
    """The exception that compiled code raises, which keeps it pickled: its class, arguments and place."""
    kind, arguments, _ = pickle.loads(ctypes.string_at(address, size))
    exception: Exception = kind(*arguments or ())
    return exception


#: Decorator of all CPU kernels.
kernel: Any = Kernel

#: Decorator of kernels that read tables of k-mers, whole or in part: any layout takes the same time.
strided_kernel: Any = partial(Kernel, is_strided=True)

#: Decorator of those that allocate nothing and call each other for every few bytes: without it, half of the time goes
#: to counting references to the arrays that they hand on.
lean_kernel: Any = partial(Kernel, _nrt=False)

#: The same for functions that kernels call.
lean_function: Any = lean_kernel

#: The same for small ones, made part of what calls them.
inlined_kernel: Any = partial(Kernel, _nrt=False, forceinline=True)

#: Decorator of those whose floats are whole numbers below 2^53, or rounded with an error that callers allow for: any
#: order of operations will do, so that LLVM may use vectors and fused multiplication and addition.
lenient_kernel: Any = partial(Kernel, _nrt=False, fastmath=True)
