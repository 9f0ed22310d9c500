"""File formats and compressions by the ending of a file's name: the one table of all commands that write files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from debruijn_gpu.errors import UsageError
from debruijn_gpu.run.checks import check_choice

#: Compressions by ending
COMPRESSIONS = {".gz": "gz", ".bz2": "bz2", ".xz": "xz", ".zst": "zst"}

#: Endings of both files of a KMC database
KMC_ENDINGS = (".kmc_pre", ".kmc_suf")

#: What separates the columns of text, by format
SEPARATORS = {"histogram": b" ", "tsv": b"\t", "csv": b","}

#: The format of graphs that is a directory; a path with a slash at its end asks for it
DIRECTORY = "directory"

#: Formats by ending. A command writes the first format of an ending that it knows, and refuses the others: a format
#: that no command writes stands here so that no file gets its name and other content.
_FORMATS: dict[str, tuple[str, ...]] = {
    ".txt": ("text", "histogram", "tsv"),
    ".text": ("text", "histogram", "tsv"),
    ".hist": ("histogram",),
    ".histo": ("histogram",),
    ".tsv": ("tsv",),
    ".tab": ("tsv",),
    ".csv": ("csv",),
    ".json": ("json",),
    ".jsonl": ("jsonl",),
    ".npy": ("npy",),
    ".npz": ("npz",),
    ".zarr": ("zarr",),
    ".bin": ("raw", "bytes"),
    ".raw": ("raw", "bytes"),
    ".bits": ("bits",),
    ".2bit": ("2bit",),
    ".fasta": ("fasta",),
    ".fa": ("fasta",),
    ".fna": ("fasta",),
    ".fas": ("fasta",),
    ".fastq": ("fastq",),
    ".fq": ("fastq",),
    ".dbgk": ("dbgk",),
    ".dbgc": ("dbgc",),
    ".kff": ("kff",),
    ".gfa": ("gfa",),
    ".gaf": ("gaf",),
    ".paf": ("paf",),
    ".svg": ("svg",),
    ".png": ("png",),
    ".pdf": ("pdf",),
    ".dot": ("dot",),
    ".gv": ("dot",),
    ".graphml": ("graphml",),
    ".html": ("html",),
    ".htm": ("html",),
    **{
        f".{name}": (name,)
        for name in (
            *("jpg", "jpeg", "gif", "tif", "tiff", "bmp", "webp", "ps", "eps", "svgz"),
            *("sam", "bam", "cram", "vcf", "bed", "faa", "mgf", "mzml", "xml", "yaml", "yml", "md"),
            *("xls", "xlsx", "ods", "h5", "hdf5", "parquet", "feather", "mat", "mtx", "pkl", "gml"),
            *("doc", "docx", "rtf", "zip", "tar", "tgz", "7z", "lz4", "lzma"),
        )
    },
}


def split_compression(path: str) -> tuple[str, str]:
    """Split a path into the name without the ending of a compression, and that ending or an empty text."""
    ending = _last_ending(path)
    return (path[: -len(ending)], ending) if ending.lower() in COMPRESSIONS else (path, "")


def compression_of(path: str) -> str | None:
    """Return the compression of a file by its ending (``gz``, ``bz2``, ``xz``, ``zst``); None for plain files."""
    return COMPRESSIONS.get(split_compression(path)[1].lower())


def ending_of(path: str) -> str:
    """Return the ending of a path that names a format or a compression, as written (``.fastq.gz``); else empty."""
    name, compression = split_compression(path)
    ending = _last_ending(name)
    return (ending if ending.lower() in _FORMATS else "") + compression


def formats_of(path: str) -> tuple[str, ...]:
    """Return the formats that the ending of a path can mean; none if the ending is not in the table."""
    if path.endswith("/"):
        return (DIRECTORY,)
    return _FORMATS.get(_last_ending(split_compression(path)[0]).lower(), ())


def kmc_stem(path: str) -> str | None:
    """Return the name of a KMC database without ending, if a path names one."""
    for ending in KMC_ENDINGS:
        if path.endswith(ending):
            return path[: -len(ending)]
    return path if not os.path.exists(path) and os.path.exists(path + KMC_ENDINGS[0]) else None


def choose_format(
    output: Path | str | None,
    formats: Sequence[str],
    default: str,
    given: str | None = None,
    option: str = "",
    of: str = "-o",
) -> str:
    """Choose the format to write: the one that was asked for, else by ending, else the default.

    Parameters
    ----------
    output : str or Path, optional
        None and ``-`` are standard output.
    formats : sequence of str
        Formats that the command writes.
    default : str
        For standard output and for endings that are not in the table.
    given : str, optional
        The format that the user asked for; it wins over the ending.
    option : str
        The option by which to ask for a format; empty if the command has none.
    of : str
        The option that names the file.

    Raises
    ------
    UsageError
        If the format that was asked for does not exist, or the ending means a format that the command does not write.
    """
    if given is not None:
        return check_choice(option, given, formats, "format")
    meant = formats_of("-" if output is None else str(output))
    found = next((name for name in meant if name in formats), None)
    if meant and found is None:
        what = "a directory" if meant == (DIRECTORY,) else f"{meant[0]} by its ending"
        by_option = f", or give {option} {'|'.join(formats)}" if option else ""
        raise UsageError(
            f"{of} {output}: {what}, but this command writes {_listed(formats)}",
            f"let it end in {_listed(_endings(formats))}{by_option}",
        )
    return found or default


def _last_ending(path: str) -> str:
    """The ending behind the last dot of a file's name; none of names that only begin with a dot."""
    name = path.rpartition("/")[2]
    stem, dot, ending = name.rpartition(".")
    return dot + ending if stem else ""


def _endings(formats: Sequence[str]) -> list[str]:
    """The first ending of each format that has one, preferring an ending that means no other format before it."""
    found = [[ending for ending, names in _FORMATS.items() if name in names] for name in formats]
    return [
        min(endings, key=lambda ending: _FORMATS[ending].index(name))
        for name, endings in zip(formats, found, strict=True)
        if endings
    ]


def _listed(names: Iterable[str]) -> str:
    """Names as text: ``a, b or c``."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
