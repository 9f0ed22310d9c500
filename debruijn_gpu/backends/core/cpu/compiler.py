"""Compile CPU kernels to object code with numba; see `deferred`.

This, `lean_compilation` and `instructions` are the only modules that import numba for the CPU.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite import binding as llvm, ir
from numba.core import callconv, types as numba_types
from numba.core.cgutils import normalize_ir_text, pack_array, unpack_tuple
from numba.np import numpy_support
from numba.np.arrayobj import populate_array

from debruijn_gpu.backends.core import deferred
from debruijn_gpu.backends.core.cpu import levels
from debruijn_gpu.backends.core.cpu.arguments import array_type, split_signature, tuple_type
from debruijn_gpu.backends.core.cpu.lean_compilation import functions_once, optimised
from debruijn_gpu.backends.core.deferred import Function, NotKeptError, rebuilt

#: What machine code may call: it is loaded without numba.
ALLOWED = frozenset(["malloc", "free", "memcpy", "memmove", "memset", "bcmp"]).union(
    *({name, f"{name}f"} for name in dir(math)), ("llrint", "lrint", "rint")
)

_WORD, _BYTE, _STATUS = ir.IntType(64), ir.IntType(8), ir.IntType(32)
_types: Any = numba_types
_njit: Any = numba.njit


@dataclass(frozen=True)
class Compiled:
    """Machine code of a kernel, and the type of its result as `arguments` writes it."""

    result: str
    code: bytes


def compile_function(function: Function, signature: str, name: str, level: str) -> Compiled:
    """Compile a kernel for processors of a level.

    Parameters
    ----------
    function : Function
    signature : str
        As `arguments.signature_of` writes it.
    name : str
        By which the machine code is called; see `machine_code.load`.
    level : str
        See `levels`.

    Raises
    ------
    NotKeptError
        If it returns what `arguments` cannot write, the machine code would need more than the C library, or numba is of
        a version that is not known here.
    """
    arguments = tuple(map(numba_type, split_signature(signature)))
    dispatcher = real(function)
    with functions_once(), _exceptions_without_places():
        dispatcher.compile(arguments)
    found = dispatcher.overloads[arguments]
    result = _text_of(found.signature.return_type)
    try:
        module = optimised(found.library)
        module.link_in(llvm.parse_assembly(normalize_ir_text(str(_entry(found, name)))))
    except (AttributeError, TypeError) as error:  # names that are not public
        raise NotKeptError(f"numba {numba.__version__}: {error}") from error
    module.link_in(llvm.parse_assembly(Path(__file__).with_name("runtime.ll").read_text()))
    _leave_one_name(module, name)
    return Compiled(result, levels.target_machine(level).emit_object(module))


@contextmanager
def _exceptions_without_places() -> Iterator[None]:
    """Leave files and lines out of the exceptions in machine code: they name directories of this machine."""
    convention: Any = callconv.CPUCallConv
    described = getattr(convention, "build_excinfo_struct", None)  # not public
    if described is None:
        yield
        return
    convention.build_excinfo_struct = lambda self, kind, arguments, place, name: (kind, _cut(arguments), None)
    try:
        yield
    finally:
        convention.build_excinfo_struct = described


def _cut(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Cut off the place that numba appends to the messages of its own exceptions."""
    return tuple(item.partition('\nFile "')[0] if isinstance(item, str) else item for item in arguments)


def callable_of(function: Function) -> Callable[..., Any]:
    """Compile a kernel in numba's own way, for this process."""
    copy, fill = rebuilt(function.py_func, real)
    compiled: Callable[..., Any] = _njit(nogil=True, error_model="numpy", **function.options)(copy)
    fill()
    return compiled


def numba_type(text: str) -> Any:
    """Type of an argument."""
    if text == "-":
        return _types.none
    if text.endswith(")"):
        kind, texts = tuple_type(text)
        items = tuple(map(numba_type, texts))
        if not kind:
            return _types.Tuple(items)
        module, _, name = kind.rpartition(".")
        return _types.BaseTuple.from_types(items, getattr(importlib.import_module(module), name))
    if ":" in text:
        dtype, n_dimensions, is_contiguous = array_type(text)
        return _types.Array(numpy_support.from_dtype(np.dtype(dtype)), n_dimensions, "C" if is_contiguous else "A")
    return numpy_support.from_dtype(np.dtype(text))


def _text_of(result: Any) -> str:
    """Write the type of a result as `arguments` does."""
    if isinstance(result, _types.NoneType):
        return "-"
    if isinstance(result, _types.BaseTuple):
        return f"({','.join(map(_text_of, result))})"
    if isinstance(result, _types.Array):
        return f"{numpy_support.as_dtype(result.dtype).str[1:]}:{result.ndim}{'C' if result.layout == 'C' else 'A'}"
    if isinstance(result, (_types.Integer, _types.Float, _types.Boolean)):
        return str(numpy_support.as_dtype(_types.unliteral(result)).str[1:])
    raise NotKeptError(f"kernels cannot return {result}")


def real(value: Any) -> Any:
    """Return numba's function of ours, or what a deferred name stands for; return others unchanged."""
    return deferred.real(value, _decorator_of)


def _decorator_of(function: Function) -> Any:
    options = {"nogil": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return _njit(**options, **function.options)


def _entry(found: Any, name: str) -> ir.Module:
    """The function that takes the address of words, calls a kernel, and writes what it returns behind its arguments."""
    context, description = found.target_context, found.fndesc
    module = context.create_module(name)
    call_type = context.call_conv.get_function_type(description.restype, description.argtypes)
    kernel = ir.Function(module, call_type, description.llvm_func_name)
    entry = ir.Function(module, ir.FunctionType(_STATUS, [_WORD.as_pointer()]), name)
    builder = ir.IRBuilder(entry.append_basic_block())
    words = _Words(context, builder, entry.args[0])
    arguments = [words.take(kind) for kind in description.argtypes]
    status, result = context.call_conv.call_function(
        builder, kernel, description.restype, description.argtypes, arguments
    )
    with builder.if_then(status.is_error, likely=False):
        pickled = builder.bitcast(status.excinfoptr, _WORD.as_pointer())
        size = builder.bitcast(builder.gep(pickled, [_WORD(1)]), _STATUS.as_pointer())
        words.write_at(0, builder.load(pickled))
        words.write_at(1, builder.zext(builder.load(size), _WORD))
        builder.ret(_STATUS(1))
    words.give(description.restype, result)
    builder.ret(_STATUS(0))
    return module


class _Words:
    """Writes instructions that read arguments from words and write results to them, one after another."""

    def __init__(self, context: Any, builder: Any, address: Any) -> None:
        self._context, self._builder, self._address = context, builder, address
        self._at = 0

    def _place(self, at: int) -> Any:
        return self._builder.gep(self._address, [_WORD(at)])

    def read(self) -> Any:
        self._at += 1
        return self._builder.load(self._place(self._at - 1))

    def write(self, word: Any) -> None:
        self.write_at(0, word)
        self._at += 1

    def write_at(self, further: int, word: Any) -> None:
        self._builder.store(word, self._place(self._at + further))

    def take(self, kind: Any) -> Any:
        """The value of an argument."""
        context, builder = self._context, self._builder
        if isinstance(kind, _types.NoneType):
            return context.get_dummy_value()
        if isinstance(kind, _types.BaseTuple):
            return context.make_tuple(builder, kind, [self.take(item) for item in kind])
        if isinstance(kind, _types.Array):
            return self._take_array(kind)
        word, wanted = self.read(), context.get_value_type(kind)
        if isinstance(kind, _types.Float):
            return builder.bitcast(builder.trunc(word, ir.IntType(kind.bitwidth)), wanted)
        return word if wanted == _WORD else builder.trunc(word, wanted)

    def _take_array(self, kind: Any) -> Any:
        context, builder = self._context, self._builder
        item = context.get_data_type(kind.dtype)
        data = builder.inttoptr(self.read(), item.as_pointer())
        shape, strides = ([self.read() for _ in range(kind.ndim)] for _ in range(2))
        array = context.make_array(kind)(context, builder)
        n_bytes = context.get_constant(_types.intp, context.get_abi_sizeof(item))
        shape, strides = (pack_array(builder, numbers, _WORD) for numbers in (shape, strides))
        populate_array(array, data, shape, strides, n_bytes, None)
        return array._getvalue()

    def give(self, kind: Any, value: Any) -> None:
        """Write a result."""
        builder = self._builder
        if isinstance(kind, _types.NoneType):
            return
        if isinstance(kind, _types.BaseTuple):
            for item, part in zip(kind, unpack_tuple(builder, value, len(kind)), strict=True):
                self.give(item, part)
        elif isinstance(kind, _types.Array):
            array = self._context.make_array(kind)(self._context, builder, value)
            self.write(builder.ptrtoint(array.meminfo, _WORD))
            self.write(builder.ptrtoint(array.data, _WORD))
            for number in (*unpack_tuple(builder, array.shape), *unpack_tuple(builder, array.strides)):
                self.write(number)
        else:
            self.write(self._word_of(kind, value))

    def _word_of(self, kind: Any, value: Any) -> Any:
        builder = self._builder
        if isinstance(kind, _types.Float):
            wide = value if kind.bitwidth == 64 else builder.fpext(value, ir.DoubleType())
            return builder.bitcast(wide, _WORD)
        if value.type == _WORD:
            return value
        is_signed = isinstance(kind, _types.Integer) and kind.signed
        return builder.sext(value, _WORD) if is_signed else builder.zext(value, _WORD)


def _leave_one_name(module: Any, name: str) -> None:
    """Hide all functions but one from other objects, which have others of the same names, and drop those not used."""
    for function in module.functions:
        if function.is_declaration:
            continue
        function.linkage = "external" if function.name == name else "internal"
    for variable in module.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, llvm.create_pass_builder(levels.target_machine(""), llvm.create_pipeline_tuning_options()))
    foreign = {function.name for function in module.functions if function.is_declaration}
    foreign = {other for other in foreign if not other.startswith("llvm.")} - ALLOWED
    foreign |= {variable.name for variable in module.global_variables if variable.is_declaration}
    if foreign:
        raise NotKeptError(f"machine code of {name} needs {', '.join(sorted(foreign))}")
