"""The command line: a group that imports a command only when it is called.

`main` is the only place that turns errors into one line, one hint and an exit code.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
from typing import Any

import click

from debruijn_gpu import __version__
from debruijn_gpu.errors import EXIT_INTERRUPTED, DbgError, FileAccessError, OutOfMemoryError

#: command: (module in this package, one-line help), in the order of the help page
COMMANDS = {
    "assemble": "Assemble reads into contigs.",
    "unitigs": "Write the compacted de Bruijn graph of reads.",
    "count": "Count k-mers.",
    "spectrum": "k-mer spectrum: error cutoff, coverage, genome size.",
    "stats": "Contig statistics: N50, auN, GC and so on.",
    "simulate": "Draw reads from a genome.",
    "sort": "Sort numbers.",
    "distinct": "Distinct numbers, and how often each occurs.",
    "compact": "Keep the numbers for which a condition holds.",
    "histogram": "Count numbers in bins.",
    "join": "Keep the numbers that are in another file.",
    "doctor": "Show versions, CPUs, memory, GPU and cache.",
}


class LazyGroup(click.Group):
    """A group whose commands live in modules of their own, imported when called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"debruijn_gpu.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # the reader of our output has seen enough; Click would exit with 1
            return 0

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"no command {args[0]!r}; 'dbg --help' lists them")
        return super().resolve_command(ctx, args)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dbg", message="%(prog)s %(version)s")
def group() -> None:
    """Assemble genomes on de Bruijn graphs."""


def main(args: list[str] | None = None) -> None:
    """Run `dbg`; never returns."""
    args = sys.argv[1:] if args is None else args
    debug = "--debug" in args
    try:
        code = group.main(args, prog_name="dbg", standalone_mode=False)
        sys.stdout.flush()
    except BaseException as error:
        if debug and not isinstance(error, (SystemExit, click.exceptions.Exit)):
            raise
        code = _report(error)
    _finish(code if isinstance(code, int) else 0)


def _report(error: BaseException) -> int:
    """Print what happened and what to do; return the exit code."""
    if isinstance(error, (SystemExit, click.exceptions.Exit)):
        code = getattr(error, "exit_code", getattr(error, "code", 0))
        return code if isinstance(code, int) else 1
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        print("dbg: interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    if isinstance(error, click.ClickException):
        error.show()
        return error.exit_code
    if isinstance(error, BrokenPipeError):
        return 0  # the reader of our output has seen enough
    known = _as_dbg_error(error)
    if known is None:
        print(f"dbg: unexpected {type(error).__name__}: {error}", file=sys.stderr)
        print("     this is a defect: run again with --debug and report what it prints", file=sys.stderr)
        return 1
    print(f"dbg: {known.what}", file=sys.stderr)
    if known.fix:
        print(f"     {known.fix}", file=sys.stderr)
    return known.exit_code


def _as_dbg_error(error: BaseException) -> DbgError | None:
    if isinstance(error, DbgError):
        return error
    if isinstance(error, MemoryError):
        return OutOfMemoryError(
            f"Out of memory: {error or 'an allocation failed'}", "give the job more memory, or lower -m/--memory"
        )
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        fix = "free some space, or write elsewhere" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
        return FileAccessError(f"{where}{error.strerror or error}", fix)
    return None


def _finish(code: int) -> None:
    """Leave without the error that Python prints when stdout's reader has gone or its disk is full."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
