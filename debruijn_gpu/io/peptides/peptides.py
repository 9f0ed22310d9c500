"""Read peptides of files and command lines, and tables of residue masses."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import closing
from decimal import Decimal
from itertools import chain

from debruijn_gpu.errors import FormatError, ParameterError
from debruijn_gpu.io.lines import FIRST_LINE, numbered_lines
from debruijn_gpu.io.opening import STANDARD_INPUT, check_readable, display_name
from debruijn_gpu.peptides.notation import parse_peptide
from debruijn_gpu.peptides.residue_notation import PeptideError
from debruijn_gpu.peptides.residues import ResidueMasses, name_key
from debruijn_gpu.peptides.spectrum import MAX_DECIMALS, MAX_UNITS, Peptide, n_decimals, read_number, to_units
from debruijn_gpu.run.plain_text import shorten

_RESIDUE_NAME = re.compile(r"[A-Za-z*]|[A-Za-z][A-Za-z0-9_]+")
_FILE_NAME = re.compile(r"[^\0\[\]/]*(?:/[^\0\[\]]*|\.[A-Za-z]\w*)")
_A_LINE = "give one peptide per line, or FASTA"
_TABLE = "give one name and its mass per line, as in Orn 114.07931"

_Lines = Iterator[tuple[int, str]]


def read_arguments(arguments: Iterable[str], masses: ResidueMasses) -> Iterator[Peptide]:
    """Peptides of a command line: each argument is a peptide, a file of them, or ``-`` for standard input.

    What can be read as a peptide is one, also if a file has that name; ``./NQEL`` is the file.

    Raises
    ------
    ParameterError
        If an argument is neither.
    DbgError
        As `read_peptides`.
    """
    for argument in arguments:
        if argument == STANDARD_INPUT:
            yield from read_peptides(argument, masses)
            continue
        try:
            peptide = parse_peptide(argument, masses)
        except ParameterError:
            if not _names_file(argument):
                raise
            yield from read_peptides(argument, masses)
        else:
            yield peptide


def read_peptides(path: str, masses: ResidueMasses) -> Iterator[Peptide]:
    """Peptides of a file: one a line, or FASTA, whose headers up to the first blank become labels.

    Lines that are empty or start with ``#`` do not count.

    Raises
    ------
    InputNotFoundError, FileAccessError
        If the file is not there or cannot be read.
    FormatError
        If there is no peptide in it, or something else; says the line.
    """
    source = display_name(path)
    with closing(numbered_lines(path, b"#")) as text:
        lines = _decoded(text)
        number, first = next(lines, (0, ""))
        if not first:
            raise FormatError(f"{source}: holds no peptide", _A_LINE)
        whole = chain([(number, first)], lines)
        records = _fasta_records(whole) if first.startswith(">") else (_Record("", n, [(n, line)]) for n, line in whole)
        for record in records:
            yield record.parse(source, masses)


def read_residue_table(path: str) -> dict[str, Decimal]:
    """Read masses of residues: one letter or name, blanks or a tab, and its mass per line; ``#`` starts a comment.

    Raises
    ------
    InputNotFoundError, FileAccessError
        If the file is not there or cannot be read.
    FormatError
        If it is something else, or has a residue twice; says the line.
    """
    source = display_name(path)
    table: dict[str, Decimal] = {}
    line_of: dict[str, int] = {}
    with closing(numbered_lines(path, b"#")) as text:
        for number, line in _decoded(text):
            words = line.partition("#")[0].split()
            try:
                name, mass = _table_entry(words)
            except ValueError as error:
                raise FormatError(f"{source}: line {number}: {error}", _TABLE) from None
            earlier = line_of.setdefault(name_key(name), number)
            if earlier != number:
                raise FormatError(
                    f"{source}: line {number}: '{shorten(name)}' is also in line {earlier}", "leave one out"
                )
            table[name] = mass
    return table


class _Record:
    """Lines that hold one peptide, and the label of it."""

    def __init__(self, label: str, start: int, lines: list[tuple[int, str]]) -> None:
        self.label = label
        self.start = start
        self.lines = lines

    def parse(self, source: str, masses: ResidueMasses) -> Peptide:
        name = f"record {shorten(self.label)}, " if self.label else ""
        try:
            return parse_peptide("".join(line for _, line in self.lines), masses, self.label)
        except PeptideError as error:
            number, offset = self._place(error.offset)
            what = f"{source}: {name}line {number}, position {offset + 1}: {error.reason}"
            raise FormatError(what, error.fix) from None
        except ParameterError as error:  # there is nothing in it
            raise FormatError(f"{source}: {name}line {self.start}: {error.what}", error.fix) from None

    def _place(self, offset: int) -> tuple[int, int]:
        """Line, and offset in it, of an offset in all lines."""
        for number, line in self.lines:
            if offset < len(line):
                return number, offset
            offset -= len(line)
        return number, len(line)


def _fasta_records(lines: _Lines) -> Iterator[_Record]:
    """Yield records of lines that begin with a header."""
    record = None
    for number, line in lines:
        if line.startswith(">"):
            if record is not None:
                yield record
            record = _Record("".join(line[1:].split(maxsplit=1)[:1]), number, [])
        elif record is not None:
            record.lines.append((number, line))
    if record is not None:
        yield record


def _decoded(text: Iterable[tuple[int, bytes]]) -> _Lines:
    """Lines with their numbers, without those that do not count; blanks before text stay, as positions count them."""
    for number, line in text:
        decoded = line.decode(FIRST_LINE if number == 1 else "utf-8", "replace").rstrip()
        if decoded and not decoded.lstrip().startswith("#"):
            yield number, decoded


def _table_entry(words: list[str]) -> tuple[str, Decimal]:
    if len(words) != 2:
        raise ValueError(f"{len(words)} {'word' if len(words) == 1 else 'words'}, not a name and a mass")
    name, text = words
    if not _RESIDUE_NAME.fullmatch(name):
        raise ValueError(f"'{shorten(name)}' is no name: a letter, or letters, digits and _")
    mass = read_number(text)
    if mass is None or n_decimals(mass) > MAX_DECIMALS or not 0 < to_units(mass, n_decimals(mass)) < MAX_UNITS:
        raise ValueError(f"'{shorten(text)}' is no mass: above 0, with up to {MAX_DECIMALS} decimals")
    return name, mass


def _names_file(argument: str) -> bool:
    """Whether an argument that is no peptide is a file. What can only be the name of a file must be there."""
    if os.path.exists(argument):
        return True
    if _FILE_NAME.fullmatch(argument):
        check_readable(argument)
    return False
