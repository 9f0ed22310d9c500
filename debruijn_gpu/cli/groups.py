"""Commands in groups that suggest close names, and options that require or exclude each other."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from debruijn_gpu.cli.help_options import HELP_ALL, with_help_options
from debruijn_gpu.errors import UsageError
from debruijn_gpu.run.checks import Rule, excludes, exclusive, needs

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

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
    """Return the names closest to a word, in their order, within `MOST_EDITS` edits and half the letters of both."""
    distances = {name: edit_distance(word, name) for name in names if abs(len(name) - len(word)) <= MOST_EDITS}
    close = {name: edits for name, edits in distances.items() if edits <= _most_edits(word, name)}
    return [name for name, edits in close.items() if edits == min(close.values())]


def _most_edits(word: str, name: str) -> int:
    """Edits within which a word is taken for a name."""
    n_letters = min(len(word.lstrip("-")), len(name.lstrip("-")))
    return min(MOST_EDITS, max(1, n_letters // 2))


def no_command(group: str, word: str, names: Iterable[str], kind: str = "no such command") -> UsageError:
    """The error for a word that is no command of a group, with the names that may be meant."""
    from debruijn_gpu.cli import synonyms  # which errors alone need

    return synonyms.no_command(group, word, list(names), kind)


def complete_commands(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete the name of a command, or of a subcommand behind it, as the value of a parameter."""
    group = ctx.find_root().command
    for name in ctx.params.get(str(param.name)) or ():
        found = group.get_command(ctx, name) if isinstance(group, click.Group) else None
        if found is None:
            return []
        group = found
    names = group.list_commands(ctx) if isinstance(group, click.Group) else []
    return [name for name in names if name.startswith(incomplete)]


class CommandGroup(click.Group):
    """A group that asks "did you mean" for a mistyped command, and shows its help page if it is given nothing."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        is_empty = not args and self.no_args_is_help and not ctx.resilient_parsing
        return super().parse_args(ctx, ctx.help_option_names[:1] if is_empty else args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command = super().get_command(ctx, cmd_name)
        return None if command is None else with_help_options(command)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        names = self.list_commands(ctx)
        if ctx.resilient_parsing:  # to complete a command line
            from debruijn_gpu.cli.completion import with_values

            name, command, rest = super().resolve_command(ctx, args)
            return name, None if command is None else with_values(command), rest
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
        if not args and ctx.resilient_parsing:  # to complete the name of a command
            return super().parse_args(ctx, args)
        if not args or (args[0] not in self.commands and args[0] not in (*ctx.help_option_names, HELP_ALL)):
            if self._unless not in args and not ctx.resilient_parsing:
                self.refuse_mistyped(ctx, args[:1])
            args = [self._default, *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[Any]]:
        from click.shell_completion import CompletionItem

        return super().shell_complete(ctx, incomplete) or [CompletionItem(incomplete, type="file")]

    def refuse_mistyped(self, ctx: click.Context, words: Iterable[str]) -> None:
        """Raise UsageError if a word is close to a command and is no file."""
        for word in words:
            if (word == "help" or close_names(word, self.commands)) and not os.path.exists(word):
                kind = f"neither a command nor a {self._of}"
                raise no_command(ctx.command_path, word, self.commands, kind)


__all__ = ["Rule", "check_rules", "excludes", "exclusive", "needs", "option_rules"]

_Function = TypeVar("_Function", bound=Callable[..., Any])

#: Presets set defaults, too
_UNSET = (None, ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP)


def option_rules(*rules: Rule) -> Callable[[_Function], _Function]:
    """Decorator that checks rules before a command runs; the rules are in the attribute ``option_rules``."""

    def decorate(function: Any) -> Any:
        if hasattr(function, "option_rules"):
            function.option_rules.extend(rules)
            return function

        @wraps(function)
        def checked(*args: Any, **options: Any) -> Any:
            check_rules(click.get_current_context(), checked.option_rules)  # type: ignore[attr-defined]
            return function(*args, **options)

        checked.option_rules = list(rules)  # type: ignore[attr-defined]
        return checked

    return decorate


def check_rules(context: click.Context, rules: Iterable[Rule], facts: Mapping[str, bool] | None = None) -> None:
    """Raise UsageError, naming both options, for the first rule that the command line breaks.

    Conditions are options, or arguments by their names in help. An option is given also with its default as the value
    (``--pagerank``); an option with a value holds by default, too (``--method random``, ``KIND genome``). Others are
    ``facts``, which the command has found out (``several k``).
    """
    for rule in rules:
        rule.check(partial(_holds, context, facts or {}))


def _holds(context: click.Context, facts: Mapping[str, bool], condition: str) -> bool:
    """Whether a condition of a rule holds on this command line."""
    if condition in facts:
        return facts[condition]
    name, _, value = condition.partition(" ")
    parameter = _parameter(context.command, name)
    found = context.params.get(str(parameter.name))
    if value:
        return str(found) == value
    if context.get_parameter_source(str(parameter.name)) in _UNSET or found in (None, ()):
        return False
    if isinstance(found, bool):
        is_on = name not in parameter.secondary_opts and getattr(parameter, "flag_value", True) is not False
        return found is is_on  # --no-pairs alone is off
    return True


def _parameter(command: click.Command, name: str) -> click.Parameter:
    """Find the option or argument of a name."""
    try:
        return _parameters(command)[name]
    except KeyError:
        raise ValueError(f"{command.name} has no option {name}") from None


@cache
def _parameters(command: click.Command) -> dict[str, click.Parameter]:
    """Options and arguments of a command by each of their names."""
    found: dict[str, click.Parameter] = {}
    for parameter in command.params:
        names = [*parameter.opts, *parameter.secondary_opts]
        if isinstance(parameter, click.Argument):
            names += [str(parameter.name).upper(), str(parameter.metavar)[1:-1]]
        for name in names:
            found.setdefault(name, parameter)
    return found
