"""Named sequences as text: FASTA, one sequence per line, or the segments of a GFA file.

Sequences come in parts of bounded size, so that a chromosome takes no more memory than a contig. Reads that become
k-mers are packed without their names instead: see `debruijn_gpu.io.fastx.reads`.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass

from debruijn_gpu.alphabet import AMBIGUOUS, BASES
from debruijn_gpu.errors import FormatError, OutOfMemoryError
from debruijn_gpu.io.fastx.formats import ReadFormat, detect_sequences
from debruijn_gpu.io.gfa.files import number_lines, read_segments
from debruijn_gpu.io.lines import TextStart, find_text, split_lines
from debruijn_gpu.io.opening import Block, display_name, read_blocks
from debruijn_gpu.io.reading_again import longest_segment, within_budget
from debruijn_gpu.run.plain_text import shorten
from debruijn_gpu.run.resources import format_bytes
from debruijn_gpu.run.tuning import tuning

_MOST_HEADER_BYTES = 1 << 20  # the rest of a longer header is left out


_LETTERS = BASES + AMBIGUOUS
_BLANKS = b" \t\r\n\v\f"


@dataclass(frozen=True)
class SequencePart:
    """A part of a sequence, in upper case.

    Attributes
    ----------
    name, description : str
        The header up to its first blank, and the rest of it or the tags of a segment.
    letters : bytes
    is_first : bool
        Whether a sequence begins with this part, which may be empty.
    name_bytes : bytes
        Of the first part: the name as in the file, which need not be UTF-8.
    """

    name: str
    description: str
    letters: bytes
    is_first: bool
    name_bytes: bytes = b""


def read_parts(path: str, gfa_too: bool = True) -> Generator[SequencePart, None, None]:
    """Read sequences in parts.

    Parameters
    ----------
    path : str
    gfa_too : bool
        Whether the segments of a GFA file are wanted as well.

    Raises
    ------
    FormatError
        If the file is empty, in another format, or holds a letter that stands for no base.
    """
    with closing(read_blocks(path, tuning().fasta_block_bytes)) as blocks:
        start = find_text(within_budget(blocks, display_name(path)))
        yield from parts_of(display_name(path), start, detect_sequences(display_name(path), start, gfa_too))


def parts_of(source: str, start: TextStart, found: ReadFormat | None) -> Iterator[SequencePart]:
    """Read sequences in parts from a text whose format was detected; None: GFA."""
    place = _Place(source, start.n_lines + 1)
    if found is ReadFormat.FASTA:
        return _fasta_parts(start.blocks, place)
    if found is ReadFormat.LINES:
        return _line_parts(start.blocks, place)
    return _gfa_parts(start.blocks, place)


def read_fasta(path: str, most_bytes: int | None = None) -> Iterator[tuple[str, bytes | bytearray]]:
    """Name and whole sequence of each record; see `read_parts`.

    Raises
    ------
    OutOfMemoryError
        If all sequences together have more than `most_bytes`.
    """
    name: str | None = None
    sequence = bytearray()
    n_bytes = 0
    with closing(read_parts(path, gfa_too=False)) as parts:
        for part in parts:
            if part.is_first:
                if name is not None:
                    yield name, sequence
                name, sequence = part.name, bytearray()
            sequence += part.letters
            n_bytes += len(part.letters)
            if most_bytes is not None and n_bytes > most_bytes:
                raise OutOfMemoryError(
                    f"Out of memory: {display_name(path)}: record {shorten(part.name)}: "
                    f"{format_bytes(len(sequence))} of {format_bytes(n_bytes)} so far, "
                    f"and {format_bytes(most_bytes)} are allowed for all sequences",
                    "allow more memory (-m)",
                )
    if name is not None:
        yield name, sequence


class _Place:
    """The line that is read."""

    def __init__(self, source: str, line: int) -> None:
        self.source = source
        self.line = line

    def checked(self, name: str, text: bytes) -> bytes:
        """The letters of some text in upper case. It moves on behind the text.

        Raises
        ------
        FormatError
        """
        letters = text.translate(None, _BLANKS).upper()
        if letters.translate(None, _LETTERS):
            for number, line in enumerate(text.split(b"\n"), self.line):
                if odd := line.translate(None, _BLANKS).upper().translate(None, _LETTERS):
                    letter = odd[:1].decode("latin-1")
                    raise FormatError(
                        f"{self.source}: record {shorten(name)}, line {number}: {letter!r} is not a base",
                        "give DNA in IUPAC letters",
                    )
        self.line += text.count(b"\n")
        return letters


def _texts(blocks: Iterable[Block]) -> Iterator[bytes]:
    for block in blocks:
        yield block.buffer[block.start : block.end].tobytes()


def _fasta_parts(blocks: Iterable[Block], place: _Place) -> Iterator[SequencePart]:
    """Parts of the records of FASTA that begins with a header."""
    name = description = ""
    header: bytes | None = b""  # so far, of one that has no end yet
    at_line_start = True
    for text in _texts(blocks):
        at = 0
        while at < len(text):
            if header is not None:
                end = text.find(b"\n", at) + 1 or len(text)
                header = (header + text[at:end])[:_MOST_HEADER_BYTES]
                at_line_start = text[end - 1 : end] == b"\n"
                if at_line_start:
                    name, description, name_bytes = _words(header)
                    header = None
                    place.line += 1
                    yield SequencePart(name, description, b"", True, name_bytes)
            elif at_line_start and text[at : at + 1] == b">":
                header, end = b"", at
            else:
                end = text.find(b"\n>", at) + 1 or len(text)
                at_line_start = text[end - 1 : end] == b"\n"
                yield SequencePart(name, description, place.checked(name, text[at:end]), False)
            at = end
    if header is not None:
        name, description, name_bytes = _words(header)
        yield SequencePart(name, description, b"", True, name_bytes)


def _words(header: bytes) -> tuple[str, str, bytes]:
    """Name and description of a header, and the name as it is in the file."""
    words = header[1:].strip().split(maxsplit=1)
    return _text(words[:1]), _text(words[1:]), b"".join(words[:1])


def _line_parts(blocks: Iterable[Block], place: _Place) -> Iterator[SequencePart]:
    """Parts of a file of one sequence per line."""
    number, is_begun = 0, False
    for text in _texts(blocks):
        for line in text.splitlines(keepends=True) if b"\r" not in text else text.replace(b"\r", b"").splitlines(True):
            name = f"sequence_{number + (not is_begun)}"
            letters = place.checked(name, line)
            if letters:
                number += not is_begun
                yield SequencePart(name, "", letters, not is_begun)
            is_begun = (is_begun or bool(letters)) and not line.endswith(b"\n")


def _gfa_parts(blocks: Iterable[Block], place: _Place) -> Iterator[SequencePart]:
    lines = split_lines(blocks, place.source, longest_segment(), place.line - 1)
    has_segments = False
    for segment in read_segments(place.source, number_lines(lines, place.line)):
        has_segments = True
        yield SequencePart(_text([segment.name]), _text([segment.tags]), segment.sequence.upper(), True)
    if not has_segments:
        raise FormatError(f"{place.source}: GFA without a segment (S line)")


def _text(fields: Iterable[bytes]) -> str:
    return b"".join(fields).decode("utf-8", "replace")
