"""Options that print the help page of a command, and options that help pages show apart from others.

The page is made by `help_page`, which is imported when it is asked for.
"""

from __future__ import annotations

from collections.abc import Collection

import click

HELP_ALL = "--help-all"

#: Panels of a help page, in their order
INPUT, ALGORITHM, OUTPUT, MACHINE = PANELS = ("Input", "Algorithm", "Output", "Machine")


class ExpertCommand(click.Command):
    """A command with options that only ``--help-all`` shows. Other hidden options are old names, and never shown.

    Attributes
    ----------
    expert_options : collection of str
        Names of the parameters.
    """

    expert_options: Collection[str] = ()


def with_help_options(command: click.Command) -> click.Command:
    """Replace the help option of Click by ``--help`` and ``--help-all``, once; return the command."""
    if command.add_help_option:
        command.add_help_option = False
        command.params += [
            _help_option("-h", "--help", help="Show this page and exit."),
            _help_option(HELP_ALL, help="Describe all options, and exit."),
        ]
    return command


def _help_option(*names: str, help: str) -> click.Option:  # noqa: A002 (as Click calls it)
    return click.Option(names, is_flag=True, is_eager=True, expose_value=False, callback=_show_page, help=help)


def _show_page(context: click.Context, parameter: click.Parameter, is_asked: bool) -> None:
    """Print the help page, and exit."""
    if is_asked and not context.resilient_parsing:
        from debruijn_gpu.cli.help_page import page

        click.echo(page(context, is_full=HELP_ALL in parameter.opts), color=context.color)
        context.exit()
