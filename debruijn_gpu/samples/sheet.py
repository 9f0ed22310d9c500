"""Read sample sheets: one sample per line, as GGCAT or kmtricks write them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from debruijn_gpu.errors import DbgError, FormatError, ParameterError
from debruijn_gpu.io.kmer_sets.text import is_kmer_text
from debruijn_gpu.io.lines import FIRST_LINE, read_lines
from debruijn_gpu.io.opening import STANDARD_INPUT, check_readable, display_name, read_blocks
from debruijn_gpu.kmers.options import COUNT_MAX
from debruijn_gpu.run.file_formats import ending_of, kmc_stem
from debruijn_gpu.run.plain_text import shorten

_HEAD_BYTES = 1 << 16
_LONGEST_LINE = 1 << 24
_SHOWN = 60
_SHOWN_PATH = 300
_STANDARD_NAME = "stdin"
_COMMENT = "#"
#: ``name : file ; file ! count``, without a tab among the files
_KMTRICKS = re.compile(r"([^\s:,;!]+)\s*:([^!]*)(?:!([^!]*))?")
_NUMBER = re.compile(r"[0-9]{1,10}")
_FIX = "write NAME, a tab and FILE[,FILE...]; or NAME : FILE [; FILE...] [! COUNT]"


@dataclass(frozen=True)
class Sample:
    """A sample and its files.

    Attributes
    ----------
    name : str
    files : tuple of str
        Sequences, or sets of k-mers; at least one.
    min_count : int or None
        Minimum count of a k-mer in this sample; None: that of all samples.
    """

    name: str
    files: tuple[str, ...]
    min_count: int | None = None


def read_samples(paths: Sequence[str], copied: Mapping[str, str] | None = None) -> list[Sample]:
    """Read sample sheets, and take other files as samples that are called like them.

    Parameters
    ----------
    paths : sequence of str
        Sheets are detected by content.
    copied : mapping of str to str, optional
        Files that are copies, and where from: standard input, or pipes. Paths in such a sheet are relative to the
        working directory.

    Raises
    ------
    DbgError
        As `read_sample_sheet`; ParameterError if two samples have one name.
    """
    found: list[Sample] = []
    for path in paths:
        source = (copied or {}).get(path, path)
        if is_sample_sheet(path):
            found += read_sample_sheet(path, "." if source != path else None)
        else:
            found.append(Sample(sample_name(source), (path,)))
    known = set[str]()
    for sample in found:
        if sample.name in known:
            raise ParameterError(
                f"two samples are called {shorten(sample.name)}", "rename a file, or name the samples in a sheet"
            )
        known.add(sample.name)
    return found


def read_sample_sheet(path: str, directory: str | None = None) -> list[Sample]:
    r"""Read a sample sheet.

    A line is ``name<TAB>file[,file...][<TAB>min_count]`` (GGCAT, one line per sample) or ``name : file [; file...]
    [! min_count]`` (kmtricks). Empty lines and comments (#) are skipped.

    Parameters
    ----------
    path : str
        A file, or ``-``.
    directory : str, optional
        To which paths are relative; by default that of the sheet.

    Raises
    ------
    FormatError
        If a line is neither, two samples have one name, or there is no sample.
    InputNotFoundError, FileAccessError
        If a file is missing or cannot be read.
    """
    name = display_name(path)
    lines: dict[str, int] = {}
    directory = directory or os.path.dirname(path) or "."
    found = []
    for number, text in _numbered(path):
        sample = _parse_line(f"{name}: line {number:,}", text, directory)
        if sample.name in lines:
            first = f"the first one is in line {lines[sample.name]:,}"
            what = f"{name}: line {number:,}: a second sample is called {shorten(sample.name)}; {first}"
            raise FormatError(what, "give each sample one name, and all its files in one line")
        lines[sample.name] = number
        found.append(sample)
    if not found:
        raise FormatError(f"{name}: no samples, only empty lines or comments", _FIX)
    return found


def total_bytes(samples: Sequence[Sample]) -> int:
    """Return the bytes of all files of samples, but of pipes."""
    return sum(os.path.getsize(file) for sample in samples for file in sample.files if os.path.isfile(file))


def is_sample_sheet(path: str) -> bool:
    """Return whether the first line of a file, which is not empty or a comment, is that of a sample sheet."""
    if kmc_stem(path) is not None:
        return False
    check_readable(path)
    with closing(read_blocks(path, _HEAD_BYTES)) as blocks:
        block = next(blocks)
    head = block.buffer[block.start : block.end].tobytes()
    if not block.final:  # without the last line, which may be cut within a letter
        head = head[: head.rfind(b"\n") + 1 or None]
    try:
        text = head.decode(FIRST_LINE)
    except UnicodeDecodeError:
        return False
    lines = (line.strip(" \r") for line in text.split("\n"))
    first = next((line for line in lines if line.strip() and not line.startswith(_COMMENT)), "")
    if first.startswith((">", "@")) or is_kmer_text(first.encode()):
        return False
    is_line = "\t" in first or _kmtricks_cells(first) is not None
    return is_line and all(letter.isprintable() or letter == "\t" for letter in first)


def sample_name(path: str) -> str:
    """Return the name of a sample of one file: without directory, and without extensions of compression and format."""
    if path == STANDARD_INPUT:
        return _STANDARD_NAME
    stem = kmc_stem(path)
    name = os.path.basename(path if stem is None else stem)
    return name[: len(name) - len(ending_of(name))] or name


def _numbered(path: str) -> Iterator[tuple[int, str]]:
    """Yield number and text of each line with content."""
    name = display_name(path)
    with closing(read_lines(path, _LONGEST_LINE)) as lines:
        for number, line in enumerate(lines, 1):
            try:
                text = line.decode(FIRST_LINE if number == 1 else "utf-8").strip(" \r")
            except UnicodeDecodeError as error:
                raise FormatError(f"{name}: line {number:,}: this is not text in UTF-8", _FIX) from error
            if text.strip() and not text.startswith(_COMMENT):
                yield number, text


def _parse_line(where: str, text: str, directory: str) -> Sample:
    """Parse a line, and check that its files can be read."""
    found = _kmtricks_cells(text)
    if found is not None:
        name, files_text, count = found
        listed = files_text.split(";")
    else:
        cells = text.split("\t")
        if not 2 <= len(cells) <= 3:
            raise FormatError(f"{where}: expected a sample and its files, got {shorten(text, _SHOWN)!r}", _FIX)
        name, listed = cells[0].strip(), cells[1].split(",")
        count = cells[2].strip() if len(cells) == 3 else None
    files = tuple(os.path.join(directory, file.strip()) for file in listed)
    if not name or not all(file.strip() for file in listed):
        raise FormatError(f"{where}: a name or a file is empty: {shorten(text, _SHOWN)!r}", _FIX)
    if not all(letter.isprintable() for letter in name):
        raise FormatError(f"{where}: a name holds unprintable characters: {shorten(name)!r}", "rename the sample")
    for file in files:
        _check_file(where, file)
    return Sample(name, files, None if count is None else _min_count(where, count))


def _kmtricks_cells(text: str) -> tuple[str, str, str | None] | None:
    """Split a line of kmtricks into name, files and minimum count; None if it is none."""
    found = _KMTRICKS.fullmatch(text.strip())
    if found is None or "\t" in found[2].strip():
        return None
    return found[1], found[2].strip(), None if found[3] is None else found[3].strip()


def _check_file(where: str, file: str) -> None:
    """Raise the errors of a file, with its line."""
    if "\0" in file:
        raise FormatError(f"{where}: the name of a file holds a null byte: {shorten(file, _SHOWN)!r}", _FIX)
    if kmc_stem(file) is not None:
        return
    try:
        check_readable(file)
    except DbgError as error:
        error.what = f"{where}: {error.what.replace(file, shorten(file, _SHOWN_PATH))}"
        raise


def _min_count(where: str, text: str) -> int:
    if not _NUMBER.fullmatch(text) or not 1 <= int(text) <= COUNT_MAX:
        raise FormatError(f"{where}: the minimum count is {shorten(text)!r}", f"give 1 to {COUNT_MAX:,}, or none")
    return int(text)
