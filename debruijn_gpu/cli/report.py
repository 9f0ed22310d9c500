"""`dbg report`: write an HTML report of an assembly, or a comparison of several."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from debruijn_gpu.assembly_dir.directory import PAGE, RESULTS
from debruijn_gpu.cli.common import configure_log, verbosity
from debruijn_gpu.cli.paths import InputFile, OutputFile
from debruijn_gpu.errors import UsageError
from debruijn_gpu.io.output import open_output
from debruijn_gpu.reports.making import make_comparison, make_report
from debruijn_gpu.run.file_formats import choose_format

_READ = [name for name in RESULTS if name != PAGE]  # of a directory


@click.command("report")
@click.argument("assemblies", type=InputFile(members=_READ), nargs=-1, metavar="ASSEMBLY...")
@click.option(
    "-o",
    "--output",
    type=OutputFile(path_type=Path),
    metavar="FILE",
    help="Output file (default: report.html in the directory of a single assembly, otherwise standard output).",
)
@click.option(
    "--quast",
    type=InputFile(),
    multiple=True,
    metavar="FILE",
    help="Add figures of QUAST's report.tsv, with columns matched by name; repeatable.",
)
@verbosity
def command(assemblies: tuple[str, ...], output: Path | None, quast: tuple[str, ...], **options: Any) -> None:
    """Write an HTML report of one ASSEMBLY, or a comparison of several.

    ASSEMBLY is a directory of dbg assemble, or a FASTA or GFA file.
    """
    if not assemblies:
        raise UsageError("no assembly given", "name a directory that dbg assemble -o wrote, or a FASTA or GFA file")
    configure_log(options)
    if output is None and len(assemblies) == 1 and os.path.isdir(assemblies[0]):
        output = Path(assemblies[0]) / PAGE
    choose_format(output, ("html",), "html")
    if output is None and sys.stdout is not None and sys.stdout.isatty():
        raise UsageError("refusing to write HTML to a terminal", "use -o FILE, such as -o report.html")
    page = make_report(assemblies[0], quast) if len(assemblies) == 1 else make_comparison(assemblies, quast)
    with open_output(output) as stream:
        stream.write(page)
