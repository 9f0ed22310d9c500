"""Types of option values, and options that were renamed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from debruijn_gpu.errors import UsageError
from debruijn_gpu.run.quantities import parse_count

if TYPE_CHECKING:
    _ParamType = click.ParamType[Any]
else:
    _ParamType = click.ParamType  # before Click 8.4 it has no parameters


class _CountType(_ParamType):
    """A number of things, or a length: ``1500``, ``10k``, ``1.5M``, ``2G`` or ``2^20``; k is 1000."""

    name = "count"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the integer; its range is checked by the options of the command."""
        return value if isinstance(value, int) else parse_count(value, _name_of(param))


#: Of all options that are counts or lengths
COUNT = _CountType()


class RenamedOption(click.Option):
    """An option that also has names and values of version 0.1, for one version, which help does not show.

    Parameters
    ----------
    old : sequence of str
        Former names.
    old_values : mapping of str to str
        Former values, and what they are called now.
    """

    def __init__(
        self, *args: Any, old: Sequence[str] = (), old_values: Mapping[str, str] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.old = tuple(old)
        self.old_values = dict(old_values or {})

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Add the former names, too."""
        shown, self.opts = self.opts, [*self.opts, *self.old]
        try:
            super().add_to_parser(parser, ctx)
        finally:
            self.opts = shown

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """Replace a former value."""
        known = self.old_values.get(value, value) if isinstance(value, str) else value
        return super().type_cast_value(ctx, known)


class SingleOption(click.Option):
    """An option that may not be given twice with different values, where both might be meant to count.

    Parameters
    ----------
    remedy : str
    """

    def __init__(self, *args: Any, remedy: str = "give it once", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._remedy = remedy

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Let the parser keep all values."""
        self.multiple = True
        try:
            super().add_to_parser(parser, ctx)
        finally:
            self.multiple = False

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """Take the value of the command line, if it is one."""
        if isinstance(value, list):
            if len(found := list(dict.fromkeys(value))) > 1:
                raise UsageError(f"{' or '.join(self.opts)} is given twice: {found[0]} and {found[1]}", self._remedy)
            value = value[0]
        return super().type_cast_value(ctx, value)


def _name_of(parameter: click.Parameter | None) -> str:
    """Return the name of an option or argument for messages."""
    if parameter is None:
        return "value"
    return parameter.opts[-1] if isinstance(parameter, click.Option) else parameter.human_readable_name
