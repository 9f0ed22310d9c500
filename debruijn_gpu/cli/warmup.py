"""`dbg warmup`: compile kernels before they are used."""

from __future__ import annotations

import sys
from typing import Any

import click

from debruijn_gpu.backends import warming
from debruijn_gpu.backends.core.ahead import counting, n_processes
from debruijn_gpu.backends.core.kernel_store import place
from debruijn_gpu.backends.warming import Warmed
from debruijn_gpu.cli import COMMANDS
from debruijn_gpu.cli.common import backend_option, configure_log, take_run_options, threads_option, verbosity
from debruijn_gpu.cli.groups import complete_commands, no_command
from debruijn_gpu.errors import UsageError
from debruijn_gpu.run import log

_EXIT_NOT_ALL = 1


@click.command("warmup")
@click.argument("commands", nargs=-1, metavar="[COMMAND]...", shell_complete=complete_commands)
@click.option("--all", "of_all", is_flag=True, help="Kernels of all commands, as without COMMAND.")
@click.option("--native", is_flag=True, help="Compile for this very processor, instead of for all of its level.")
@threads_option
@backend_option
@verbosity
def command(commands: tuple[str, ...], of_all: bool, native: bool, **options: Any) -> None:
    """Compile the kernels that commands use, so that their first run need not.

    Without COMMAND: of all commands. What is there already is not compiled again. Wheels bring kernels along, so that
    there is nothing to do but with --native.
    """
    configure_log(options)
    run = take_run_options(options)
    if of_all and commands:
        raise UsageError("--all: excludes COMMAND", "give one of them")
    for name in commands:
        if name not in COMMANDS:
            raise no_command("dbg", name, COMMANDS)
    problems: dict[str, str] = {}
    for target in warming.targets(run.backend, native):
        warmed = _warm_up(commands, target, run.threads or n_processes())
        problems |= warmed.problems
    for name, problem in problems.items():
        log.logger.warning("%s: %s", name, problem)
    if problems:
        sys.exit(_EXIT_NOT_ALL)


def _warm_up(commands: tuple[str, ...], target: str, processes: int) -> Warmed:
    with log.stage("compile"), counting() as tell:
        warmed = warming.warm_up(commands, target, processes, tell)
    log.report(
        "%s: %d kernels, %d of them compiled now; kept in %s",
        target,
        warmed.n_kernels,
        warmed.n_compiled,
        place().path,
    )
    return warmed
