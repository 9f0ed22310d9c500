"""Read which names an object file needs from elsewhere.

64-bit little-endian ELF alone (System V ABI, chapter 4), which Linux has on x86-64 and AArch64, and CUDA in cubins.
"""

from __future__ import annotations

import struct

_IDENTITY = b"\x7fELF\x02\x01"
_SECTION = struct.Struct("<IIQQQQIIQQ")  # name, type, flags, address, offset, size, link, info, align, entry size
_SYMBOL = struct.Struct("<IBBHQQ")  # name, info, other, section, value, size
_SYMBOL_TABLE = 2
_UNDEFINED = 0


def undefined_symbols(code: bytes) -> set[str]:
    """Names of symbols that an object file uses and does not define.

    Raises
    ------
    ValueError
        If it is no such file.
    """
    if not code.startswith(_IDENTITY):
        raise ValueError(f"no ELF file of 64 bits, little-endian: {code[:6]!r}")
    (first,) = struct.unpack_from("<Q", code, 0x28)
    entry_size, n_sections = struct.unpack_from("<HH", code, 0x3A)
    sections = [_SECTION.unpack_from(code, first + i * entry_size) for i in range(n_sections)]
    names = set()
    for _, kind, _, _, offset, size, link, *_ in sections:
        if kind != _SYMBOL_TABLE:
            continue
        text = sections[link][4]
        for name, _, _, section, _, _ in _SYMBOL.iter_unpack(code[offset : offset + size]):
            if section == _UNDEFINED and name:
                names.add(code[text + name : code.index(b"\0", text + name)].decode())
    return names
