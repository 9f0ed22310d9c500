"""The command line: a group that imports a command only when it is called.

`main` is the only place that turns errors into one line, one hint and an exit code.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
from typing import TYPE_CHECKING, Any, TextIO

import click

from debruijn_gpu.backends.core import startup
from debruijn_gpu.cli import device_faults, standard_streams, unraisable
from debruijn_gpu.cli.groups import CommandGroup
from debruijn_gpu.cli.help_options import HELP_ALL, with_help_options
from debruijn_gpu.cli.memory_faults import lack_of_memory
from debruijn_gpu.errors import DISK_FULL, DbgError, FileAccessError, OutOfMemoryError, remedy
from debruijn_gpu.run import signals
from debruijn_gpu.run.plain_text import print_message
from debruijn_gpu.version import __version__

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

#: Commands by purpose. Command, which is a module of this package: its line on the help page, in the order of that page
GROUPS = {
    "Genomes": {
        "assemble": "Assemble reads into contigs.",
        "unitigs": "Write the compacted de Bruijn graph of reads.",
        "report": "Write a report of an assembly, or compare several.",
        "stats": "Compute contig statistics: N50, auN, GC content, ...",
        "simulate": "Simulate reads of a genome.",
        "map": "Map reads to a graph or to contigs.",
        "screen": "Filter, trim or mask reads that match references.",
        "bin": "Bin contigs into genomes.",
    },
    "k-mers": {
        "count": "Count k-mers.",
        "spectrum": "Compute a k-mer spectrum; estimate k-mer depth and genome size.",
        "kmers": "Combine, compare and convert sets of k-mers.",
        "matrix": "Write the table of k-mers by samples, and the pangenome curve.",
        "color": "Build and search the coloured de Bruijn graph of samples.",
        "query": "Count the k-mers of records that samples have.",
    },
    "Graphs": {
        "graph": "Analyse a graph, or convert it to another format.",
        "euler": "Find Euler circuits, paths and trails of a graph.",
        "draw": "Draw a graph.",
        "generate": "Generate graphs for tests and benchmarks.",
    },
    "Sequences": {
        "debruijn": "Write de Bruijn sequences, in which every word occurs once.",
        "lookandsay": "Compute terms of the look-and-say sequence: 1, 11, 21, 1211, ...",
    },
    "Peptides": {
        "cyclospec": "Compute spectra of cyclic peptides, or peptides of spectra.",
    },
    "Numbers": {
        "sort": "Sort numbers.",
        "distinct": "Write distinct numbers, optionally with counts.",
        "compact": "Keep the numbers that meet a condition (also: filter).",
        "histogram": "Count numbers in bins.",
        "join": "Keep the numbers that are in another file.",
        "som": "Train a self-organizing map of a table.",
    },
    "System": {
        "help": "Show the help page of a command.",
        "completion": "Print the script that completes commands in a shell.",
        "doctor": "Show versions, CPUs, memory, GPU and cache.",
        "warmup": "Compile the kernels of commands before they run.",
        "bench": "Compare the run times of CPU and GPU at growing input sizes.",
    },
}
COMMANDS = {name: line for commands in GROUPS.values() for name, line in commands.items()}

#: Set by the script of a shell that asks for completions; Click answers
COMPLETION_VARIABLE = "_DBG_COMPLETE"

_WITHOUT_RUN = ("help", "completion")  # commands that run nothing else

#: Other names of commands, which help does not list
ALIASES = {"filter": "compact"}


class LazyGroup(CommandGroup):
    """A group whose commands live in modules of their own, imported when called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"debruijn_gpu.cli.{cmd_name}")
        command: click.Command = module.command
        return with_help_options(command)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[Any]]:
        from click.shell_completion import CompletionItem

        found = [CompletionItem(name, help=line) for name, line in COMMANDS.items() if name.startswith(incomplete)]
        return found + click.Command.shell_complete(self, ctx, incomplete)  # without an import of all commands

    def invoke(self, ctx: click.Context) -> Any:
        with importlib.import_module("debruijn_gpu.io.publishing").published_together():
            try:
                return super().invoke(ctx)
            except BrokenPipeError:  # the reader closed our output; Click would exit with 1
                return 0

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(len(name) for name in COMMANDS)  # `map` is a module here
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), line) for name, line in commands.items()])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        args = _with_listed_name(args)
        asks_for_help = args[0] in _WITHOUT_RUN or any(name in args for name in (*ctx.help_option_names, HELP_ALL))
        if not asks_for_help:
            importlib.import_module("debruijn_gpu.run.log")  # starts the clock of the run
        found = super().resolve_command(ctx, args)
        if not asks_for_help and found[0] in COMMANDS:
            for name in getattr(importlib.import_module(f"{__name__}.{found[0]}"), "IMPORTED_UNLESS_HELP", ()):
                importlib.import_module(name)
        gc.freeze()
        gc.enable()
        signals.raise_in_main_thread()  # from here on there may be files to clean up
        return found


@click.group(
    cls=LazyGroup,
    add_help_option=False,  # whose names depend on the first context
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="\b\n'dbg help COMMAND' describes a command, with examples.\n"
    "'dbg COMMAND --help-all' describes all of its options.",
)
@click.version_option(__version__, "-V", "--version", prog_name="dbg", message="%(prog)s %(version)s")
@click.help_option("-h", "--help", help="Show this page and exit.")
def group() -> None:
    """Assemble genomes on de Bruijn graphs."""


def main(args: list[str] | None = None) -> None:
    """Run `dbg`; never returns."""
    args = sys.argv[1:] if args is None else args
    standard_streams.replace_closed()
    unraisable.answer()
    debug = "--debug" in args
    startup.leave_out_scipy()
    startup.begin_command(_with_listed_name(args))
    startup.defer_dataclass_methods()
    try:
        code = _run(args)
        sys.stdout.flush()
        signals.ignore()
    except BaseException as error:
        signals.restore_default()  # cleaned up: a second signal need not wait
        if os.environ.get(COMPLETION_VARIABLE) and not debug:
            _finish(0)  # nothing is completed
        if debug and not isinstance(error, (SystemExit, click.exceptions.Exit)):
            import traceback

            print_message(*traceback.format_exc().rstrip().split("\n"))
        code = _report(error, args)
    startup.end_command()
    _finish(code if isinstance(code, int) else 0)


def _run(args: list[str]) -> Any:
    """Run the command; once more, on the CPU, if a GPU that ``--backend auto`` chose fails."""
    device_faults.begin()
    try:
        return group.main(args, prog_name="dbg", standalone_mode=False)
    except Exception as error:
        if not device_faults.leaves_gpu(error):
            raise
    return group.main(args, prog_name="dbg", standalone_mode=False)


def _with_listed_name(args: list[str]) -> list[str]:
    """Arguments with the name of the command that help lists."""
    return [ALIASES.get(name, name) for name in args[:1]] + args[1:]


def _report(error: BaseException, args: list[str]) -> int:
    """Print what happened and what to do; return the exit code."""
    if isinstance(error, click.Abort) and isinstance(error.__cause__, EOFError):
        error = error.__cause__  # Click takes every EOFError for Ctrl-D at a prompt; there are no prompts here
    error = _interrupt_behind(error) or error
    if isinstance(error, signals.Stopped):
        error = error.reason
    if isinstance(error, (SystemExit, click.exceptions.Exit)):
        code = getattr(error, "exit_code", getattr(error, "code", 0))
        return code if isinstance(code, int) else 1
    if isinstance(error, (KeyboardInterrupt, click.Abort)):  # Click's has an interrupt behind it
        unraisable.forget()
        number = signals.number_of(error)
        print_message(signals.message(number))
        return signals.exit_code(number)
    if isinstance(error, click.UsageError):
        from debruijn_gpu.cli.synonyms import reworded

        error = reworded(error, args)
    if isinstance(error, BrokenPipeError):
        return 0  # the reader closed our output
    known = _as_dbg_error(error)
    if known is None:
        print_message(
            f"dbg: unexpected {type(error).__name__}: {' '.join(str(error).split())}",
            "     this is a defect: run again with --debug and report what it prints",
        )
        return 1
    print_message(f"dbg: {known.what}", *([f"     {known.fix}"] if known.fix else []))
    return known.exit_code


def _interrupt_behind(error: BaseException) -> KeyboardInterrupt | None:
    """The interrupt that led to an error: Python wraps what `__set_name__` raises; a lock may be released twice."""
    seen: BaseException | None = error
    while seen is not None and not isinstance(seen, KeyboardInterrupt):
        seen = seen.__cause__ or seen.__context__
    return seen


def _as_dbg_error(error: BaseException) -> DbgError | None:
    if isinstance(error, DbgError):
        return error
    fault = device_faults.fault_of(error)
    if fault is not None:
        return fault
    lack = lack_of_memory(error)
    if lack:
        return OutOfMemoryError(f"Out of memory: {lack}", "give the job more memory, or lower -m/--memory")
    if isinstance(error, OSError):
        full = error.errno in DISK_FULL
        where = error.filename or ("standard output" if full else "")  # files say where they are
        fix = remedy(error, "check that it can be read or written, and try again")
        return FileAccessError(f"{where}: {error.strerror or error}" if where else str(error), fix)
    return None


def _finish(code: int) -> None:
    """Leave without the error that Python prints when the reader of a stream has gone or its disk is full."""
    _flush(sys.stdout)
    _flush(sys.stderr)
    exec("")  # after an interrupt within exec, as of dataclasses, `python -m` would die of SIGINT instead
    sys.exit(code)


def _flush(stream: TextIO) -> None:
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
