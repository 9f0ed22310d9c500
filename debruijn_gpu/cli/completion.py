"""`dbg completion`: print the script that completes commands in a shell; and what it completes beside names of options.

While a command line is completed, Click parses it resiliently and asks types of parameters for values.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem, get_completion_class

from debruijn_gpu.cli import COMPLETION_VARIABLE
from debruijn_gpu.run.checks import check_choice

SHELLS = ("bash", "zsh", "fish")
_WORD = re.compile(r"[a-z0-9][a-z0-9-]*")

if TYPE_CHECKING:
    _ParamType = click.ParamType[str]
else:
    _ParamType = click.ParamType  # before Click 8.4 it has no parameters


class _Words(_ParamType):
    """A text; the words of its metavar (``auto|cpu|cuda``) are completed."""

    name = "text"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[Any]]:
        """Return the words that begin so."""
        words = (param.metavar or "").split("|")
        return [CompletionItem(word) for word in words if _WORD.fullmatch(word) and word.startswith(incomplete)]


def with_values(command: click.Command) -> click.Command:
    """Have the texts that a command takes completed; return the command, which then is for nothing else."""
    for parameter in command.params:
        if parameter.type is click.STRING and "|" in (parameter.metavar or ""):
            parameter.type = _Words()
    return command


@click.command("completion")
@click.argument("shell", metavar="|".join(SHELLS))
def command(shell: str) -> None:
    """Print the script that completes commands, options and names of files in a shell.

    \b
    bash  dbg completion bash >> ~/.bashrc
    zsh   dbg completion zsh >> ~/.zshrc     (behind compinit)
    fish  dbg completion fish > ~/.config/fish/completions/dbg.fish
    """
    kind = get_completion_class(check_choice("SHELL", shell, SHELLS, "shell"))
    assert kind is not None
    click.echo(kind(click.get_current_context().find_root().command, {}, "dbg", COMPLETION_VARIABLE).source(), nl=False)
