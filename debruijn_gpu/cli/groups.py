"""Groups of commands that suggest close names for a mistyped one."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import click

from debruijn_gpu.errors import UsageError

#: Edits within which a word is taken for a mistyped name
MOST_EDITS = 2


def edit_distance(first: str, second: str) -> int:
    """Number of characters to insert, delete or replace, or of neighbours to swap, that turn one word into the other.

    The optimal string alignment of Damerau (1964): no part of a word is edited twice.
    """
    rows = [list(range(len(second) + 1))]
    for i, letter in enumerate(first, 1):
        row = [i]
        for j, other in enumerate(second, 1):
            edits = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (letter != other))
            if i > 1 and j > 1 and (letter, first[i - 2]) == (second[j - 2], other):
                edits = min(edits, rows[-2][j - 2] + 1)
            row.append(edits)
        rows.append(row)
    return rows[-1][-1]


def close_names(word: str, names: Iterable[str]) -> list[str]:
    """Return the names closest to a word, in their order, if they are within `MOST_EDITS` edits of it."""
    distances = {name: edit_distance(word, name) for name in names if abs(len(name) - len(word)) <= MOST_EDITS}
    least = min(distances.values(), default=MOST_EDITS + 1)
    return [name for name, distance in distances.items() if distance == least <= MOST_EDITS]


def no_command(group: str, word: str, names: Iterable[str], kind: str = "no such command") -> UsageError:
    """The error for a word that is no command of a group, with the names that may be meant."""
    close = " or ".join(f"'{group} {name}'" for name in close_names(word, names))
    question = f"did you mean {close}? " if close else ""
    return UsageError(f"{group} {word}: {kind}", f"{question}'{group} --help' lists the commands")


class CommandGroup(click.Group):
    """A group that asks "did you mean" for a mistyped command."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        names = self.list_commands(ctx)
        if args and args[0] not in names and not args[0].startswith("-"):
            raise no_command(ctx.command_path, args[0], names)
        return super().resolve_command(ctx, args)


class DefaultGroup(CommandGroup):
    """A group that takes a word that is no command for an argument of one of them, unless it is a mistyped command.

    Parameters
    ----------
    default : str
        Name of the command that takes arguments.
    of : str
        What these arguments are, for messages.
    unless : str
        The option with which any word may be an argument.
    """

    def __init__(self, *args: Any, default: str, of: str, unless: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._default = default
        self._of = of
        self._unless = unless

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names):
            if self._unless not in args:
                self.refuse_mistyped(ctx, args[:1])
            args = [self._default, *args]
        return super().parse_args(ctx, args)

    def refuse_mistyped(self, ctx: click.Context, words: Iterable[str]) -> None:
        """Raise UsageError if a word is close to a command and is no file."""
        for word in words:
            if (word == "help" or close_names(word, self.commands)) and not os.path.exists(word):
                kind = f"neither a command nor a {self._of}"
                raise no_command(ctx.command_path, word, self.commands, kind)
