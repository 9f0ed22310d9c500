"""Hashes and copies of reads, the slow and obvious way. Reads are str."""

from __future__ import annotations

_WORD = (1 << 64) - 1


def mix(word: int) -> int:
    """Scramble 64 bits."""
    word = word * 0x9E3779B97F4A7C15 & _WORD
    word ^= word >> 32
    word = word * 0xD6E8FEB86659FD93 & _WORD
    return word ^ word >> 29


def hash_read(read: str) -> int:
    """Hash the content of a read: its length, its bases 32 at a time, and the positions of other letters."""
    value = mix(len(read))
    for start in range(0, len(read), 32):
        codes = [max(0, "ACGT".find(letter)) for letter in read[start : start + 32].ljust(32, "A")]
        value = mix(value ^ sum(code << 62 - 2 * i for i, code in enumerate(codes)))
    for i, letter in enumerate(read):
        if letter not in "ACGT":
            value = mix(value ^ 1 << 63 ^ i)
    return value


def kept_pairs(pairs: list[tuple[str, str]], threshold: int) -> list[tuple[str, str]]:
    """Choose pairs whose hash, with the number of the copy, is below a threshold."""
    kept, seen = [], dict.fromkeys(pairs, 0)
    for pair in pairs:
        value = (mix(hash_read(pair[0]) ^ 1) + mix(hash_read(pair[1]) ^ 2)) & _WORD
        if mix(mix(value) ^ seen[pair]) < threshold:
            kept.append(pair)
        seen[pair] += 1
    return kept
