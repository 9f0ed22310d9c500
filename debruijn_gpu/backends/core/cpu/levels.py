"""Levels of processors that kernels are compiled for.

Code for a level runs on every processor of that level. The levels of x86-64 are those of its psABI (LLVM knows them by
these names); elsewhere there is one, the base of the architecture.
"""

from __future__ import annotations

import functools
import hashlib
import os
import platform
from typing import Any

try:
    from numpy._core._multiarray_umath import __cpu_features__  # type: ignore[import-not-found, unused-ignore]
except ImportError:
    __cpu_features__ = {}

_V2 = frozenset(["cx16", "sahf", "popcnt", "sse3", "sse4.1", "sse4.2", "ssse3"])
_V3 = _V2 | frozenset(["avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"])
_V4 = _V3 | frozenset(["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"])
#: Instructions that LLVM names, of each level of x86-64, the highest first
X86_LEVELS = {"x86-64-v4": _V4, "x86-64-v3": _V3, "x86-64-v2": _V2, "x86-64": frozenset()}
_VARIABLE = "DBG_CPU_LEVEL"
#: What names of code for a model of a processor begin with
NATIVE = "native-"
_LEVELS_OF_NUMPY = {"x86-64-v4": "X86_V4", "x86-64-v3": "X86_V3", "x86-64-v2": "X86_V2"}


def architecture() -> str:
    """Name of the architecture: ``x86-64``, ``aarch64``, …"""
    machine = platform.machine().lower()
    return {"amd64": "x86-64", "x86_64": "x86-64", "arm64": "aarch64"}.get(machine, machine)


@functools.cache
def level() -> str:
    """The highest level of this processor, or a lower one that the environment asks for."""
    if architecture() != "x86-64":
        return architecture()
    highest, wanted = _highest_level(), os.environ.get(_VARIABLE)
    return wanted if wanted in X86_LEVELS and X86_LEVELS[wanted] <= X86_LEVELS[highest] else highest


def _highest_level() -> str:
    if "X86_V4" in __cpu_features__:  # of NumPy 2.4 and later, which has asked the processor already
        return next((name for name, feature in _LEVELS_OF_NUMPY.items() if __cpu_features__[feature]), "x86-64")
    features = _llvm().get_host_cpu_features()
    here = {name for name, is_there in features.items() if is_there}
    return next(name for name, wanted in X86_LEVELS.items() if wanted <= here)


def is_chosen() -> bool:
    """Whether the environment asks for a level."""
    return bool(os.environ.get(_VARIABLE))


@functools.cache
def native() -> str:
    """Name of code for this very processor: its model, and a digest of what it can do."""
    llvm = _llvm()
    features = llvm.get_host_cpu_features().flatten()
    return f"{NATIVE}{llvm.get_host_cpu_name()}-{hashlib.sha256(features.encode()).hexdigest()[:8]}"


def target_machine(of_level: str) -> Any:
    """LLVM's description of processors of a level, for code that can be loaded anywhere; any level to load code."""
    llvm = _llvm()
    if of_level.startswith(NATIVE):
        cpu, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    else:
        cpu, features = (of_level if of_level in X86_LEVELS else "generic" if of_level else ""), ""
    # code and constants of an object may come to lie far from each other, so distances of 32 bits do not do
    reloc, codemodel = ("static", "large") if architecture() == "x86-64" else ("default", "jitdefault")
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(cpu=cpu, features=features, opt=3, reloc=reloc, codemodel=codemodel)


@functools.cache
def _llvm() -> Any:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm
