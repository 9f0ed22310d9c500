"""Results of `dbg graph` that read GFA as it is: its defects, and the sequences of its paths."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from debruijn_gpu.cli.common import apply
from debruijn_gpu.cli.groups import excludes, needs, option_rules
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import refuse_default_terminal
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.gfa.checking import GfaChecker
from debruijn_gpu.io.gfa.spelling import spell_paths
from debruijn_gpu.io.opening import check_readable, display_name
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.io.publishing import publish_completed
from debruijn_gpu.io.reading_again import readable_again
from debruijn_gpu.run import log
from debruijn_gpu.run.checks import check_range
from debruijn_gpu.run.file_formats import choose_format
from debruijn_gpu.run.plain_text import counted
from debruijn_gpu.run.resources import memory_left

if TYPE_CHECKING:
    from debruijn_gpu.run.options import RunOptions


#: Defects that are written by default
_LIMIT = 100
_MOST = (1 << 62) - 1

#: Options of reading graphs, which have no effect on lines that are checked or spelled as they are
_INPUT_OPTIONS = (
    *("-k", "--forward", "--min-count", "--multiplicity", "--overlap", "--loops", "--n-vertices", "--reverse"),
    "--undirected",
)

gfa_results = apply(
    option_rules(
        *(excludes(result, *_INPUT_OPTIONS) for result in ("--check", "--spell-paths")),
        needs("--limit", "--check"),
    ),
    click.option(
        "--check",
        is_flag=True,
        help="Check GFA by the specification of versions 1.0 to 1.2: write each defect with line and field.",
    ),
    click.option(
        "--limit",
        type=COUNT,
        default=_LIMIT,
        show_default=True,
        metavar="N",
        help="Maximum number of written defects (with --check).",
    ),
    click.option("--spell-paths", is_flag=True, help="Write the sequences of paths and walks of GFA as FASTA."),
)


def take_gfa_result(options: dict[str, Any], output: str | None, run: RunOptions) -> bool:
    """Take the options of `gfa_results`; write the result that they ask for, and return whether there is one."""
    is_checked, is_spelled, limit = (options.pop(name) for name in ("check", "spell_paths", "limit"))
    if is_checked:
        check_range("--limit", limit, 1, _MOST)
        choose_format(output, ("text",), "text")
        refuse_default_terminal("source")
        check_writable(output)
        _check_gfa(options["source"], output, limit, run)
    elif is_spelled:
        choose_format(output, ("fasta",), "fasta")
        refuse_default_terminal("source")
        check_writable(output)
        _spell_gfa(options["source"], output, run)
    return bool(is_checked or is_spelled)


def _check_gfa(source: str, output: str | None, limit: int, run: RunOptions) -> None:
    """Write the first defects of a GFA file, one per line, or the number of lines that were checked.

    Raises
    ------
    FormatError
        If there are defects.
    """
    name = display_name(source)
    check_readable(source)
    with readable_again(source, needed=True) as again, open_output(output) as stream, log.stage("check") as stage:
        checker = GfaChecker(again, memory_left(run.memory))
        defects = checker.defects()
        for defect in islice(defects, limit):
            stream.write(f"{name}: {defect}\n".encode())
        for _defect in defects:
            pass
        if not checker.n_defects:
            stream.write(f"{name}: no defects: {checker.describe() or 'no segments'}\n".encode())
        stage.items, stage.unit = checker.n_lines, "lines"
    if checker.n_mismatches:
        log.logger.warning(
            "%s of type M align different bases, which GFA allows", counted(checker.n_mismatches, "CIGAR")
        )
    if checker.n_defects:
        publish_completed()
        listed = f", the first {limit:,} are listed" if checker.n_defects > limit else ""
        more = "; --limit lists more" if listed else ""
        raise FormatError(
            f"{name}: {counted(checker.n_defects, 'defect')}{listed}", f"correct the lines that are listed{more}"
        )


def _spell_gfa(source: str, output: str | None, run: RunOptions) -> None:
    """Write the sequences of the paths and walks of a GFA file as FASTA."""
    check_readable(source)
    with readable_again(source, needed=True) as again, open_output(output) as stream, log.stage("spell") as stage:
        stage.items, stage.unit = spell_paths(stream, again, memory_left(run.memory)), "paths"
    if not stage.items:
        log.logger.warning("%s: no paths (P) and no walks (W): the result is empty", display_name(source))
