"""Load object files of x86-64 Linux into the process, without a linker.

What `compiler` makes calls nothing but the C library, and knows no address but as a whole word: sections are copied to
memory, and addresses are written where the file asks for them. Files that ask for more are left to LLVM's loader.

Source: System V Application Binary Interface, AMD64 Architecture Processor Supplement (the large code model).
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import struct
from typing import Any, NamedTuple

_MAGIC = b"\x7fELF\x02\x01\x01"  # 64 bits, little-endian
_RELOCATABLE, _X86_64 = 1, 62
_CONTENT, _SYMBOLS, _RELOCATIONS = 1, 2, 4  # types of sections
_WRITABLE, _ALLOCATED = 1, 2  # flags of sections
_UNDEFINED = 0  # section of a symbol
_WHOLE_ADDRESS = 1  # a relocation: symbol + addend, 64 bits
_UNWINDING = b".eh_frame"  # errors are a status, so nobody unwinds the stack
_LEAST_ALIGNMENT = 64
_NO_MEMORY = (1 << 64) - 1


class NotLoadableError(Exception):
    """An object file needs more than is done here."""


class _Section(NamedTuple):
    """A header of a section, as it is in the file."""

    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    item_size: int

    @property
    def content(self) -> slice:
        return slice(self.offset, self.offset + self.size)


class _Symbol(NamedTuple):
    """A symbol, as it is in the file."""

    name: int
    info: int
    other: int
    section: int
    value: int
    size: int


class _Object:
    """An object file, its sections, its symbols and their addresses."""

    def __init__(self, code: bytes) -> None:
        if code[: len(_MAGIC)] != _MAGIC or struct.unpack_from("<HH", code, 16) != (_RELOCATABLE, _X86_64):
            raise NotLoadableError("no object file of x86-64")
        self._code = code
        (offset,), (n_sections, names) = struct.unpack_from("<Q", code, 40), struct.unpack_from("<HH", code, 60)
        headers = struct.iter_unpack("<IIQQQQIIQQ", code[offset : offset + 64 * n_sections])
        self._sections = [_Section(*header) for header in headers]
        self._names = self._sections[names]
        table = next(section for section in self._sections if section.kind == _SYMBOLS)
        self._symbols = [_Symbol(*symbol) for symbol in struct.iter_unpack("<IBBHQQ", code[table.content])]
        self._symbol_names = self._sections[table.link]
        self._addresses: dict[int, int] = {}  # of sections in memory

    def load(self) -> None:
        """Copy code and constants to memory that stays, fill in addresses, and make it executable."""
        places, size = {}, 0
        for i, section in enumerate(self._sections):
            if self._is_needed(section):
                alignment = max(section.alignment, _LEAST_ALIGNMENT)
                places[i] = -(-size // alignment) * alignment
                size = places[i] + section.size
        library = _c_library()
        base = library.mmap(None, size, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        if base == _NO_MEMORY:
            raise NotLoadableError("no memory")
        for i, place in places.items():
            self._addresses[i] = base + place
            ctypes.memmove(base + place, self._code[self._sections[i].content], self._sections[i].size)
        for section in self._sections:
            if section.kind == _RELOCATIONS and section.info in places:
                self._relocate(section)
        if library.mprotect(base, size, mmap.PROT_READ | mmap.PROT_EXEC):
            raise NotLoadableError("memory cannot be made executable")

    def _is_needed(self, section: _Section) -> bool:
        if not (section.flags & _ALLOCATED and section.size) or self._text(self._names, section.name) == _UNWINDING:
            return False
        if section.kind != _CONTENT or section.flags & _WRITABLE or section.alignment > mmap.PAGESIZE:
            raise NotLoadableError("a section that is written")
        return True

    def _relocate(self, relocations: _Section) -> None:
        """Write the addresses that a section asks for."""
        start = self._addresses[relocations.info]
        for offset, info, addend in struct.iter_unpack("<QQq", self._code[relocations.content]):
            if info & 0xFFFFFFFF != _WHOLE_ADDRESS:
                raise NotLoadableError(f"relocation {info & 0xFFFFFFFF}")
            address = self._address_of(self._symbols[info >> 32]) + addend
            ctypes.c_uint64.from_address(start + offset).value = address

    def _address_of(self, symbol: _Symbol) -> int:
        if symbol.section == _UNDEFINED:
            return _address_in_process(self._text(self._symbol_names, symbol.name))
        if symbol.section not in self._addresses:
            raise NotLoadableError("a symbol without a section")
        return self._addresses[symbol.section] + symbol.value

    def function(self, name: str) -> int:
        """Return the address of a function."""
        for symbol in self._symbols:
            if symbol.section and self._text(self._symbol_names, symbol.name) == name.encode():
                return self._address_of(symbol)
        raise NotLoadableError(f"no {name}")

    def _text(self, table: _Section, at: int) -> bytes:
        start = table.offset + at
        return self._code[start : self._code.index(b"\0", start)]


def load_object(code: bytes, name: str) -> int:
    """Load an object file for as long as the process runs; return the address of a function of it.

    Raises
    ------
    NotLoadableError
        If the file is not of x86-64 Linux, or needs what only LLVM's loader does.
    """
    found = _Object(code)
    found.load()
    return found.function(name)


@functools.cache
def _c_library() -> Any:
    library = ctypes.CDLL(None)
    library.mmap.restype = ctypes.c_uint64
    library.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *(ctypes.c_int,) * 3, ctypes.c_ssize_t]
    library.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return library


@functools.cache
def _address_in_process(name: bytes) -> int:
    """Address of a function of the C library."""
    try:
        function = getattr(_c_library(), name.decode())
    except AttributeError:
        raise NotLoadableError(f"no {name.decode()}") from None
    return ctypes.cast(function, ctypes.c_void_p).value or 0
