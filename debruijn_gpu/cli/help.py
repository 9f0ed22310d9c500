"""`dbg help`: show the help page of a command."""

from __future__ import annotations

import click

from debruijn_gpu.cli import ALIASES
from debruijn_gpu.cli.groups import complete_commands, no_command
from debruijn_gpu.cli.help_options import HELP_ALL
from debruijn_gpu.cli.help_page import page
from debruijn_gpu.errors import UsageError


@click.command("help")
@click.argument("names", nargs=-1, metavar="[COMMAND [SUBCOMMAND]]", shell_complete=complete_commands)
@click.option("--all", "is_full", is_flag=True, help=f"Describe all options, as COMMAND {HELP_ALL} does.")
@click.pass_context
def command(context: click.Context, names: tuple[str, ...], is_full: bool) -> None:
    """Show the help page of COMMAND, or of dbg: 'dbg help debruijn verify' is 'dbg debruijn verify --help'."""
    shown = context.find_root()
    for name in (ALIASES.get(name, name) if shown.parent is None else name for name in names):
        group = shown.command
        if not isinstance(group, click.Group):
            raise UsageError(f"{shown.command_path} {name}: no such command", f"{shown.command_path} has no commands")
        found = group.get_command(shown, name)
        if found is None:
            raise no_command(shown.command_path, name, group.list_commands(shown))
        shown = click.Context(found, info_name=name, parent=shown)
    click.echo(page(shown, is_full) if names else shown.get_help(), color=context.color)
