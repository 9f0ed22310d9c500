"""Spell the paths (P lines) and walks (W lines) of a GFA file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import BinaryIO, NamedTuple

from debruijn_gpu.assembly.scaffolds import LEAST_GAP_BP
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.gfa.grammar import FIELDS, CheckedLine, Defect, check_line, used_bases
from debruijn_gpu.io.gfa.segments import CORRECT, UNKNOWN
from debruijn_gpu.io.gfa.steps import Steps, path_steps, walk_name, walk_steps
from debruijn_gpu.io.gfa.tables import GfaTables, Step, numbered_gfa_lines, read_tables
from debruijn_gpu.io.opening import display_name
from debruijn_gpu.run.plain_text import shorten

#: N of a gap whose length is unknown, as in AGP files and at NCBI
UNKNOWN_GAP_BP = 100

_WHOLE = "'dbg graph --check' lists the defects of a file"


class _Cut(NamedTuple):
    """What lies between two steps: bases that the second repeats of the first, or N of a gap."""

    overlap_bp: int
    gap_bp: int = 0


def spell_paths(stream: BinaryIO, path: str, n_bytes_allowed: int | None) -> int:
    """Write the sequences of all paths and walks of a file as FASTA, and return their number.

    Reverse segments are reverse-complemented. Of each step the bases are left out by which it overlaps the step before
    it, by the CIGAR of the path or else of the link; the last overlap of a circular path is left out at its end. A jump
    is the distance of its J line in N, at least 10, or 100 if that is unknown.

    Parameters
    ----------
    stream : BinaryIO
    path : str
        A file that can be read twice.
    n_bytes_allowed : int or None

    Raises
    ------
    FormatError
        With file and line: a faulty line, a segment without a sequence, a missing link, or an overlap that is unknown.
    OutOfMemoryError
    """
    tables, source = read_tables(path, n_bytes_allowed), display_name(path)
    n_paths = 0
    for number, line in numbered_gfa_lines(path, n_bytes_allowed):
        if line[:2] not in (b"P\t", b"W\t"):
            continue
        checked = check_line(number, line)
        if checked.defects:
            raise FormatError(f"{source}: {checked.defects[0]}", CORRECT)
        speller = _Speller(checked, tables, source)
        sequence = b"".join(speller.parts())
        stream.write(b">%b length=%d\n%b\n" % (speller.name, len(sequence), sequence))
        n_paths += 1
    return n_paths


class _Speller:
    """Spells one path or walk."""

    def __init__(self, line: CheckedLine, tables: GfaTables, source: str) -> None:
        self._line = line
        self._tables = tables
        self._source = source
        is_path = line.kind == b"P"
        self._field = 1 if is_path else 5
        self.name = line.fields[0] if is_path else walk_name(line.fields)
        self._steps: Steps = path_steps(line.fields[1], tables) if is_path else walk_steps(line.fields[5])
        given = line.fields[2].split(b",") if is_path and line.fields[2] != UNKNOWN else []
        n_between = len(self._steps.steps) - 1
        if given and len(given) not in (n_between, n_between + 1):
            raise self._error(2, f"expected {n_between:,} overlaps, got {len(given):,}")
        self._given = given

    def parts(self) -> Iterator[bytes]:
        """Yield the sequence, step by step."""
        steps = self._steps.steps
        sequences = [self._sequence(step) for step in steps]
        if len(self._given) == len(steps):
            overlap_bp = self._overlap(len(steps) - 1, steps[-1], steps[0])[0]
            whole = b"".join(self._joined(sequences))
            yield whole[: len(whole) - min(overlap_bp, len(whole))]
        else:
            yield from self._joined(sequences)

    def _joined(self, sequences: list[bytes]) -> Iterator[bytes]:
        yield sequences[0]
        for i, (tail, head) in enumerate(pairwise(self._steps.steps)):
            cut = self._gap(tail, head) if i in self._steps.jumps else _Cut(self._overlap(i, tail, head)[1])
            if cut.overlap_bp > len(sequences[i + 1]):
                what = f"expected an overlap within segment {shorten(head.name)}, got {cut.overlap_bp:,} bases"
                raise self._error(self._field, what)
            yield b"N" * cut.gap_bp
            yield sequences[i + 1][cut.overlap_bp :]

    def _sequence(self, step: Step) -> bytes:
        segment = self._tables.segments.get(step.name) if step.sign else None
        if segment is None:
            what = f"expected a segment of the file with + or -, got {shorten(step.name)}"
            raise self._error(self._field, what)
        if not segment.sequence:
            raise self._error(self._field, f"segment {shorten(step.name)} has no sequence")
        return segment.start(step.sign, len(segment.sequence))

    def _overlap(self, i: int, tail: Step, head: Step) -> tuple[int, int]:
        """Bases of both steps that overlap behind step i."""
        given = self._given[i] if i < len(self._given) else UNKNOWN
        if given[-1:] not in (b"*", b".", b"J"):
            return used_bases(given)
        link = f"{shorten(tail.name)}{tail.sign.decode()} {shorten(head.name)}{head.sign.decode()}"
        known = self._tables.overlaps(tail, head)
        if not known:
            raise self._error(self._field, f"expected a link {link} in the file, found none")
        known = [overlap for overlap in known if overlap != UNKNOWN]
        if len(known) != 1:
            many = "ambiguous" if known else "unknown"
            raise self._error(self._field, f"the overlap of link {link} is {many}")
        checked = check_line(0, b"L\ta\t+\ta\t+\t" + known[0])
        if not checked.sound[4]:
            raise self._error(self._field, f"expected a CIGAR in link {link}, got {shorten(known[0])}")
        return used_bases(known[0])

    def _gap(self, tail: Step, head: Step) -> _Cut:
        """N for a jump."""
        known = self._tables.distances(tail, head)
        if not known or not known[0].removeprefix(b"-").removeprefix(b"+").isdigit():
            return _Cut(0, UNKNOWN_GAP_BP)
        return _Cut(0, max(LEAST_GAP_BP, int(known[0][:18])))

    def _error(self, field: int, what: str) -> FormatError:
        name = FIELDS[self._line.kind][field].name
        return FormatError(f"{self._source}: {Defect(self._line.number, field + 2, name, what)}", _WHOLE)
