"""Find the machine code of CPU kernels, or compile and keep it."""

from __future__ import annotations

import functools
import itertools
import json
import os
import sys
import threading
import time
from dataclasses import dataclass

from debruijn_gpu.backends.core import ahead, kernel_store
from debruijn_gpu.backends.core.cache_place import announce_compiling
from debruijn_gpu.backends.core.cpu import levels, machine_code
from debruijn_gpu.backends.core.deferred import Function
from debruijn_gpu.run import log


@dataclass(frozen=True)
class Found:
    """A kernel in the process, and the type of its result as `arguments` writes it."""

    entry: machine_code.Entry
    result: str


#: First bytes of object files; LLVM crashes on others.
_OBJECT_BEGINS = {"linux": b"\x7fELF", "darwin": b"\xcf\xfa\xed\xfe"}.get(sys.platform, b"")
_loading = threading.Lock()
_loaded: dict[str, Found] = {}
_nameless = itertools.count()


def find_or_compile(function: Function, signature: str) -> Found:
    """Load the machine code of a kernel for arguments of some types, from the store if it is there."""
    kernel_store.note_use(function, signature)
    name = kernel_store.name_of(function, signature)
    with _loading:
        if name is None:
            name = f"nameless_{next(_nameless)}"
            return _load(content_of(function, signature, name, levels.level()), name)
        if name not in _loaded:
            _loaded[name] = _find(name) or _compile(function, signature, name)
        return _loaded[name]


@functools.cache
def targets() -> tuple[str, ...]:
    """What this processor can run, the best first: code for itself if any was kept, and for its level."""
    level, directory = levels.level(), kernel_store.place().path
    if directory is None or levels.is_chosen():
        return (level,)
    if not any(name.startswith(levels.NATIVE) for name in os.listdir(directory)):
        return (level,)  # without asking LLVM what this processor is
    own = levels.native()
    return (own, level) if (directory / own).is_dir() else (level,)


def _find(name: str) -> Found | None:
    for target in targets():
        content = kernel_store.find(target, name)
        if content is None:
            continue
        try:
            return _load(content, name)
        except (ValueError, LookupError, TypeError) as error:
            log.logger.debug("%s for %s does not load: %s", name, target, error)
    return None


def _compile(function: Function, signature: str, name: str) -> Found:
    announce_compiling(kernel_store.place())
    begin = time.perf_counter()
    if ahead.compile_elsewhere(function, "cpu", signature, levels.level()):
        found = _find(name)
        if found is not None:
            log.note_compiling(time.perf_counter() - begin)
            return found
    content = content_of(function, signature, name, levels.level())
    log.note_compiling(time.perf_counter() - begin)
    kernel_store.keep(levels.level(), name, content)
    return _load(content, name)


def content_of(function: Function, signature: str, name: str, target: str) -> bytes:
    """Compile a kernel; return what the store keeps: a line with the type of the result, and the object code."""
    from debruijn_gpu.backends.core.cpu.compiler import compile_function

    compiled = compile_function(function, signature, _symbol(name), target)
    return json.dumps({"result": compiled.result}).encode() + b"\n" + compiled.code


def _load(content: bytes, name: str) -> Found:
    """Load what `content_of` returned.

    Raises
    ------
    ValueError, LookupError, TypeError
        If it is something else, as object code of another system.
    """
    head, _, code = content.partition(b"\n")
    result = json.loads(head)["result"]
    if not code.startswith(_OBJECT_BEGINS) or len(code) <= len(_OBJECT_BEGINS):
        raise ValueError("no object code of this system")
    return Found(machine_code.load(_symbol(name), code), result)


def _symbol(name: str) -> str:
    """The name of the function in the object code of a name of the store."""
    return f"dbg_{name.replace('-', '_')}"
