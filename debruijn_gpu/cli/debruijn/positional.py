"""`dbg debruijn K N`: the number of symbols and the order as in textbooks, beside the commands of the group."""

from __future__ import annotations

import click
from click.core import ParameterSource

from debruijn_gpu.cli.groups import MOST_EDITS, CommandGroup, close_names, no_command
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.errors import UsageError

_FIX = "give the number of symbols and the order: dbg debruijn 10 4"


class SequenceGroup(CommandGroup):
    """A group that takes two words that are no commands for the values of ``--alphabet`` and ``-n``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words = self._first_words(ctx, list(args))
        if not words or words[0] in self.commands:
            return super().parse_args(ctx, args)
        if self._is_mistyped(words[0]):
            raise no_command(ctx.command_path, words[0], self.commands)
        if len(words) != 2:
            raise UsageError(f"{ctx.command_path}: expected K and N, got {' '.join(words)}", _FIX)
        ctx.allow_interspersed_args = True  # options may follow, too
        click.Command.parse_args(self, ctx, args)
        ctx.args = []
        self._set(ctx, "alphabet", "--alphabet", words[0], words[0])
        order = self.params_by_name["order"]
        self._set(ctx, "order", "-n", COUNT.convert(words[1], order, ctx), words[1])
        return ctx.args

    @property
    def params_by_name(self) -> dict[str, click.Parameter]:
        """Parameters of the group by their names in the code."""
        return {str(parameter.name): parameter for parameter in self.params}

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Show both forms on the help page."""
        return ["[OPTIONS]", "[K N | COMMAND ...]"]

    def _first_words(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Return the arguments that are no options and no values of them; only the first one if it is a command."""
        allowed, ctx.allow_interspersed_args = ctx.allow_interspersed_args, False
        try:
            rest = self.make_parser(ctx).parse_args(list(args))[1]
            if not rest or rest[0] in self.commands:
                return rest[:1]
            ctx.allow_interspersed_args = True
            return self.make_parser(ctx).parse_args(list(args))[1]
        finally:
            ctx.allow_interspersed_args = allowed

    def _is_mistyped(self, word: str) -> bool:
        """Whether a word is rather a command than a number or a list of symbols."""
        is_long = word.isalpha() and len(word) > MOST_EDITS + 1
        return is_long and (word == "help" or bool(close_names(word, self.commands)))

    def _set(self, ctx: click.Context, name: str, option: str, value: object, text: str) -> None:
        """Set a parameter by position."""
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise UsageError(f"{option} is given twice: by position, {text}, and by name", "leave one of them out")
        ctx.params[name] = value
        ctx.set_parameter_source(name, ParameterSource.COMMANDLINE)
