"""Mutate files: bytes, lines, fields and numbers of text, members of archives, values of JSON, compressed data.

Each mutator takes the generator of random numbers, the content of a file, and that of another one in the same format,
and returns other content. `mutated` applies some of them.
"""

from __future__ import annotations

import bz2
import functools
import gzip
import io
import json
import lzma
import random
import re
import zipfile
import zlib
from collections.abc import Callable

from debruijn_gpu.io.compression.inflating import zstd_library
from debruijn_gpu.io.kmer_sets import layout

Mutator = Callable[[random.Random, bytes, bytes], bytes]

#: Bytes of a mutated file, at most
MOST_BYTES = 1 << 16

NUMBERS = (
    *(b"0", b"-0", b"-1", b"+1", b"1", b"007", b"1e3", b"1.5", b".5", b"1.", b"1_000", b"1,000", b"0x10", b"1e308"),
    *(b"1e309", b"-1e309", b"1e-400", b"nan", b"NaN", b"inf", b"-inf", b"1e99999999999", b"true", b"null"),
    *(str(2**bits + d).encode() for bits in (8, 15, 16, 31, 32, 53, 62, 63, 64, 127) for d in (-1, 0, 1)),
    *(b"-9223372036854775808", b"-9223372036854775809", b"9" * 30, b"9" * 400, b"1" + b"0" * 5000),
    *(b"0" * 400 + b"1", b"0." + b"0" * 400 + b"1", "٣".encode(), "1²".encode()),
)
TOKENS = (
    *(
        b"",
        b"*",
        b"+",
        b"-",
        b".",
        b"..",
        b"@",
        b">",
        b"#",
        b";",
        b"N",
        b"ACGT",
        b"acgu",
        b"=",
        b"->",
        b"S",
        b"L",
        b"P",
    ),
    *(b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\x85", b"\x0b", b"\x1b[2J", "é".encode(), "\u202e".encode()),
    *(b"<script>alert(1)</script>", b"'\"&<>", b"--output", b"../../x", b"a" * 300, b" ", b"\t", b",", b"\r", b"\n"),
    *(b"LN:i:5", b"DP:f:1e400", b"KC:i:-1", b"30M", b"5M2I", b"0M", b"99999999999999999999M", b"NaN", b"{}", b"[]"),
    *(b"__proto__", b"-Infinity", b"\\ud800", b"\xef\xbb\xbf", b"\xff\xfe", b"%s%n", b"{0}", b"${x}", b"\xe2\x80\xa8"),
)
_SEPARATORS = (b"\t", b" ", b",", b":", b";", b"=", b"\r")
_NUMBER = re.compile(rb"[0-9]+(?:\.[0-9]+)?")


def _place(rng: random.Random, data: bytes) -> int:
    return rng.randrange(len(data) + 1)


def _interval(rng: random.Random, data: bytes, most: int = 1 << 12) -> tuple[int, int]:
    start = _place(rng, data)
    return start, min(len(data), start + rng.choice((1, 2, 4, 16, 80, rng.randrange(1, most))))


# Bytes


def flip_bits(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8)) if data else 0):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def set_byte(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    at = _place(rng, data)
    return (
        data[:at]
        + rng.choice((b"\0", b"\xff", b"\n", b"\r", b" ", b"\t", b">", b"@", b"+", b"0", b"-", b"\x1a"))
        + (data[at + rng.randrange(2) :])
    )


def truncate(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    return data[: _place(rng, data)] if rng.random() < 0.7 else data[: max(0, len(data) - rng.randrange(1, 9))]


def cut_start(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    return data[_place(rng, data) :]


def delete(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    start, stop = _interval(rng, data)
    return data[:start] + data[stop:]


def duplicate(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    start, stop = _interval(rng, data)
    times = rng.choice((1, 2, 50))
    return data[:stop] + data[start:stop] * times + data[stop:]


def insert_token(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    at = _place(rng, data)
    return data[:at] + rng.choice(TOKENS + NUMBERS) + data[at:]


def insert_bytes(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    at = _place(rng, data)
    return data[:at] + rng.randbytes(rng.choice((1, 3, 20, 300))) + data[at:]


def insert_zeros(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    at = _place(rng, data)
    return data[:at] + bytes(rng.choice((1, 10, 600, 5000))) + data[at:]


def splice(rng: random.Random, data: bytes, other: bytes) -> bytes:
    return data[: _place(rng, data)] + other[_place(rng, other) :]


def lengthen(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    at = _place(rng, data)
    return (
        data[:at]
        + rng.choice((b"A", b"N", b"1", b" ", b"\n", b"\t", b"(", b"[", b"<a>", b"I"))
        * (rng.choice((70, 1025, 20_000)))
        + data[at:]
    )


def noise(rng: random.Random, _data: bytes, _other: bytes) -> bytes:
    return rng.randbytes(rng.choice((1, 5, 100, 2000)))


# Lines


def _lines(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True)


def change_lines(rng: random.Random, data: bytes, other: bytes) -> bytes:
    lines = _lines(data) or [b""]
    i = rng.randrange(len(lines))
    match rng.randrange(8):
        case 0:
            del lines[i]
        case 1:
            lines.insert(i, lines[rng.randrange(len(lines))])
        case 2:
            rng.shuffle(lines)
        case 3:
            lines[i] = lines[i].rstrip(b"\n")
        case 4:
            lines.insert(i, b"\n" * rng.choice((1, 1, 3, 200)))
        case 5:
            lines[i] = rng.choice(_lines(other) or [b"\n"])
        case 6:
            lines[i] = lines[i][: rng.randrange(len(lines[i]) + 1)] + b"\n"
        case 7:
            lines[i : i + 1] = [lines[i]] * rng.choice((2, 20, 300))
    return b"".join(lines)


def end_lines_otherwise(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    return data.replace(
        b"\n", rng.choice((b"\r\n", b"\r", b"\n\r", b"\r\r\n", b" \n", b"\n\n", b"\0", b"\x0b", b"\x85"))
    )


# Fields and numbers


def change_field(rng: random.Random, data: bytes, other: bytes) -> bytes:
    lines = _lines(data) or [b""]
    i = rng.randrange(len(lines))
    separators = [each for each in _SEPARATORS if each in lines[i]] or [b" "]
    separator = rng.choice(separators)
    fields = lines[i].rstrip(b"\n").split(separator)
    j = rng.randrange(len(fields))
    match rng.randrange(6):
        case 0:
            fields[j] = rng.choice(TOKENS)
        case 1:
            fields[j] = rng.choice(NUMBERS)
        case 2:
            del fields[j]
        case 3:
            fields.insert(j, rng.choice(fields))
        case 4:
            fields[j] = rng.choice(rng.choice(_lines(other) or [b""]).rstrip(b"\n").split(separator))
        case 5:
            fields[j:] = [*fields[j:], *fields[j:]] * rng.choice((1, 30))
    lines[i] = separator.join(fields) + b"\n"
    return b"".join(lines)


def change_number(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    found = list(_NUMBER.finditer(data))
    if not found:
        return data + rng.choice(NUMBERS)
    number = rng.choice(found)
    value = number[0]
    near = value.isdigit() and len(value) < 20 and rng.random() < 0.3
    new = str(max(0, int(value) + rng.choice((-1, 1, 10, -10)))).encode() if near else rng.choice(NUMBERS)
    return data[: number.start()] + new + data[number.end() :]


# Encodings


def encode_otherwise(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    text = data.decode("latin-1")
    match rng.randrange(5):
        case 0:
            return text.encode("utf-16")  # with a mark
        case 1:
            return text.encode("utf-16-le")
        case 2:
            return text.encode("utf-16-be")
        case 3:
            return b"\xef\xbb\xbf" + data
    return text.encode("utf-32")


# JSON

_VALUES = (None, True, -1, 0, 1e308, 10**30, 2**63, "", "x", "<b>&'\"", "\0", [], {}, [[]], {"a": None}, [1, "2"], 0.5)


def change_json(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return change_number(rng, data, b"")
    places = list(_places(value))
    if not places:
        return json.dumps(rng.choice(_VALUES)).encode()
    holder, key = rng.choice(places)
    match rng.randrange(4):
        case 0:
            del holder[key]
        case 1:
            holder[key] = holder[key] if rng.random() < 0.5 else json.loads(data)
            if isinstance(holder, dict):
                holder[rng.choice(("", "extra", "__class__"))] = holder.pop(key)
        case _:
            holder[key] = rng.choice(_VALUES)
    try:
        return json.dumps(value).encode()
    except RecursionError:
        return data


def _places(value):
    """Holders and keys of all values, from first to last; without recursion, since values may be nested deeply."""
    left = [iter(_items(value))]
    while left:
        for holder, key, item in left[-1]:
            yield holder, key
            left.append(iter(_items(item)))
            break
        else:
            left.pop()


def _items(value):
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(value, key, item) for key, item in items]


# Arrays and archives


def change_npy_header(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    at = data.find(b"{'descr'")
    end = data.find(b"\n", at)
    if at < 0 or end < 0:
        return flip_bits(rng, data, b"")
    header = data[at:end]
    kinds = (b"|O", b"<U9", b">i8", b"<f8", b"|V8", b"<M8[s]", b"<c16", b"|b1", b"<u1", b"<i8", b"|S0", b"<f2", b"<f16")
    match rng.randrange(5):
        case 0:
            new = re.sub(rb"'descr': [^,]*", b"'descr': '" + rng.choice(kinds) + b"'", header)
        case 1:
            new = re.sub(rb"'descr': [^,]*", b"'descr': [('a', '<i8'), ('b', '<f8')]", header)
        case 2:
            new = header.replace(b"False", rng.choice((b"True", b"None", b"0", b"[]")))
        case 3:
            shapes = (b"()", b"(-1,)", b"(0,)", b"(2, 2)", b"(1000000000000,)", b"(4294967296, 4294967296)", b"(3, 0)")
            new = re.sub(rb"'shape': \([^)]*\)", b"'shape': " + rng.choice(shapes), header)
        case _:
            new = change_number(rng, header, b"")
    length = len(new) + 1
    return data[:8] + (length & 0xFFFF).to_bytes(2, "little") + new + b"\n" + data[end + 1 :]


def change_member(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Change a member of an archive, and store all of them anew."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
    except Exception:  # no archive any more
        return flip_bits(rng, data, b"")
    if not members:
        return data
    name = rng.choice(list(members))
    match rng.randrange(5):
        case 0:
            del members[name]
        case 1:
            members[rng.choice(list(members))] = members[name]
        case 2:
            members[rng.choice(("x.npy", "../x.npy", "", "meta.npy", "data.npy"))] = members.pop(name)
        case _:
            change = rng.choice((change_npy_header, change_npy_header, flip_bits, truncate, duplicate, insert_zeros))
            members[name] = change(rng, members[name], other)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for member, content in members.items():
            archive.writestr(zipfile.ZipInfo(member), content)
    return packed.getvalue()


def change_xml(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    doctype = (
        b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/hostname">]>'
    )
    tags = list(re.finditer(rb"<[^>]*>", data))
    values = list(re.finditer(rb'"[^"]*"', data))
    match rng.randrange(6):
        case 0 if tags:
            tag = rng.choice(tags)
            return data[: tag.start()] + data[tag.end() :]
        case 1 if tags:
            tag = rng.choice(tags)
            return data[: tag.end()] + tag[0] * rng.choice((1, 300)) + data[tag.end() :]
        case 2:
            end = data.find(b"?>") + 2
            entity = rng.choice((b"&b;", b"&c;", b"&undefined;", b"&#0;", b"&#x110000;"))
            at = rng.choice(tags).end() if tags else end
            return data[:end] + doctype + data[end:at] + entity + data[at:]
        case 3 | 4 if values:
            value = rng.choice(values)
            new = b'"' + rng.choice(NUMBERS + TOKENS + (rng.choice(values)[0].strip(b'"'),)) + b'"'
            return data[: value.start()] + new + data[value.end() :]
    return change_number(rng, data, b"")


# Compressed data


@functools.cache
def _zstd():
    return zstd_library()


COMPRESSORS = {
    "gz": functools.partial(gzip.compress, compresslevel=1, mtime=0),
    "bz2": functools.partial(bz2.compress, compresslevel=1),
    "xz": functools.partial(lzma.compress, preset=0),
    "zst": lambda data: _zstd().compress(data, 1),
}


def compress(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Compress, in one or several members, and damage the result half of the times."""
    name = rng.choice(("gz", "gz", "zst", "bz2", "xz"))
    pack = COMPRESSORS[name]
    match rng.randrange(6):
        case 0:
            at = _place(rng, data)
            packed = pack(data[:at]) + pack(data[at:])
        case 1:
            packed = pack(pack(data))
        case 2:
            packed = pack(data) + rng.choice((b"", bytes(20), b"rubbish", data, COMPRESSORS["gz"](other), pack(b"")))
        case _:
            packed = pack(data)
    if rng.random() < 0.5:
        packed = rng.choice((flip_bits, truncate, delete, duplicate, insert_bytes))(rng, packed, other)
    return packed


BYTES: tuple[Mutator, ...] = (
    *(flip_bits, set_byte, truncate, cut_start, delete, duplicate, insert_token, insert_bytes, insert_zeros, splice),
    *(lengthen, noise),
)
TEXT: tuple[Mutator, ...] = (
    *(change_lines, change_field, change_number) * 3,
    *(end_lines_otherwise, encode_otherwise),
)
JSON: tuple[Mutator, ...] = (change_json,) * 8
NPY: tuple[Mutator, ...] = (change_npy_header,) * 8
NPZ: tuple[Mutator, ...] = (change_member,) * 12
XML: tuple[Mutator, ...] = (change_xml,) * 12


def mutated(rng: random.Random, data: bytes, other: bytes, own: tuple[Mutator, ...], packs: bool = True) -> bytes:
    """Apply one to four mutators, those of the format (`own`) or of bytes; compress one in twelve if `packs`."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        data = rng.choice(own + BYTES)(rng, data, other)[:MOST_BYTES]
    return compress(rng, data, other)[:MOST_BYTES] if packs and rng.random() < 1 / 12 else data


def resealed_set(rng: random.Random, content: bytes, _other: bytes) -> bytes:
    """Change a field of the header, trailer or index of a set of k-mers, and correct its checksum."""
    size = layout.HEADER.size
    if len(content) < 2 * size:
        return content
    damaged = bytearray(content)
    start = rng.choice((0, len(content) - size))
    at = start + 4 * rng.randrange(2, size // 4 - 1)
    damaged[at : at + 4] = rng.choice((0, 1, 255, 1 << 31, (1 << 32) - 1, rng.randrange(1 << 32))).to_bytes(4, "little")
    crc = zlib.crc32(damaged[start : start + size - 4])
    damaged[start + size - 4 : start + size] = crc.to_bytes(4, "little")
    return bytes(damaged)
