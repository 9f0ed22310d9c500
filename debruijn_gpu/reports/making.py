"""Build reports of existing assemblies, and comparisons of several."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from debruijn_gpu.assembly.result import Assembly
from debruijn_gpu.assembly_dir.directory import PAGE, OutputDirectory
from debruijn_gpu.assembly_dir.quality_reports import read_quast
from debruijn_gpu.assembly_dir.reading import AssemblyFiles, contig_table, read_directory, read_file
from debruijn_gpu.errors import UsageError
from debruijn_gpu.io.gfa.contigs import named_contigs
from debruijn_gpu.io.opening import STANDARD_INPUT
from debruijn_gpu.reports.compare_page import Compared, compare_page, match_quast
from debruijn_gpu.reports.report_page import report_page
from debruijn_gpu.run.file_formats import ending_of

_USUAL_NAME = "contigs"  # what an assembly is called that nobody gave a name


def make_report(path: str, quast: Sequence[str] = ()) -> bytes:
    """The page about one assembly.

    Parameters
    ----------
    path : str
        A directory of `dbg assemble`, or a FASTA or GFA file.
    quast : sequence of str
        QUAST's reports on it.

    Raises
    ------
    DbgError
        A file is missing, or not what it should be.
    """
    files = _read(path)
    one = Compared(assembly_names([path], [files])[0], files, files.contigs.stats(), _aliases(path))
    (rows,) = match_quast([one], [(report, read_quast(report)) for report in quast])
    return report_page(files, rows)


def make_comparison(paths: Sequence[str], quast: Sequence[str] = ()) -> bytes:
    """The page that compares assemblies; see `make_report`.

    Raises
    ------
    UsageError
        If an assembly is given twice, or a report of QUAST is not about them.
    DbgError
        As `make_report`.
    """
    _refuse_twice(paths)
    files = [_read(path) for path in paths]
    names = assembly_names(paths, files)
    assemblies = [
        Compared(name, one, one.contigs.stats(), _aliases(path))
        for name, one, path in zip(names, files, paths, strict=True)
    ]
    found = match_quast(assemblies, [(report, read_quast(report)) for report in quast])
    return compare_page([replace(one, quast=rows) for one, rows in zip(assemblies, found, strict=True)])


def assembly_names(paths: Sequence[str], files: Sequence[AssemblyFiles]) -> list[str]:
    """Name assemblies by --name, or by directory or file; by the given path where two agree."""
    names = [
        one.name if one.name not in ("", _USUAL_NAME) else _stem(path) for path, one in zip(paths, files, strict=True)
    ]
    return [name if names.count(name) == 1 else path for name, path in zip(names, paths, strict=True)]


def _read(path: str) -> AssemblyFiles:
    return read_directory(Path(path)) if os.path.isdir(path) else read_file(path)


def _stem(path: str) -> str:
    """Name of a directory, or of a file without its endings."""
    if path == STANDARD_INPUT:
        return "standard input"
    name = Path(os.path.realpath(path)).name or path
    return name if os.path.isdir(path) else _without_endings(name)


def _without_endings(name: str) -> str:
    """``a`` of ``a.fasta.gz``."""
    while ending := ending_of(name):
        name = name[: -len(ending)]
    return name


def _aliases(path: str) -> tuple[str, ...]:
    """Return the name that QUAST gives a path: the file name, with its directory if that is ambiguous."""
    file = Path(os.path.realpath(path)) / "contigs.fasta" if os.path.isdir(path) else Path(os.path.realpath(path))
    stem = _without_endings(file.name)
    return (f"{file.parent.name}_{stem}", file.parent.name if os.path.isdir(path) else stem, stem)


def _refuse_twice(paths: Sequence[str]) -> None:
    seen: dict[str, str] = {}
    for path in paths:
        place = path if path == STANDARD_INPUT else os.path.realpath(path)
        if place in seen:
            raise UsageError(f"{path}: is given twice", "give each assembly once")
        seen[place] = path


def write_page(assembly: Assembly, directory: OutputDirectory) -> None:
    """Write the page about an assembly, from its other files; last of all, as it shows the record of the run.

    Contigs and graph are not read again, which takes minutes where there are millions of them.
    """
    contigs = contig_table(assembly.reported, assembly.bases_per_kmer)
    page = report_page(read_directory(directory.staging, contigs, named_contigs(assembly.segments)))
    with directory.open(PAGE) as stream:
        stream.write(page)
