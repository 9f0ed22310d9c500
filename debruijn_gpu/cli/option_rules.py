"""Options that require or exclude each other: a table for each command, checked before any work."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from debruijn_gpu.run.checks import Rule, excludes, exclusive, needs

__all__ = ["Rule", "check_rules", "excludes", "exclusive", "needs", "option_rules"]

_Function = TypeVar("_Function", bound=Callable[..., Any])

_UNSET = (None, ParameterSource.DEFAULT)


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


def check_rules(context: click.Context, rules: list[Rule]) -> None:
    """Raise UsageError, naming both options, for the first rule that the command line breaks.

    Conditions are options, or arguments by their names in help. An option is given also with its default as the value
    (``--pagerank``); an option with a value holds by default, too (``--method random``, ``KIND genome``).
    """
    for rule in rules:
        rule.check(partial(_holds, context))


def _holds(context: click.Context, condition: str) -> bool:
    """Whether a condition of a rule holds on this command line."""
    name, _, value = condition.partition(" ")
    parameter = _parameter(context.command, name)
    found = context.params.get(str(parameter.name))
    if value:
        return str(found) == value
    if context.get_parameter_source(str(parameter.name)) in _UNSET or found in (None, ()):
        return False
    if isinstance(found, bool):
        return found is (name not in parameter.secondary_opts)
    return True


def _parameter(command: click.Command, name: str) -> click.Parameter:
    """Find the option or argument of a name."""
    for parameter in command.params:
        if name in (*parameter.opts, *parameter.secondary_opts):
            return parameter
        names = (str(parameter.name).upper(), str(parameter.metavar)[1:-1])
        if isinstance(parameter, click.Argument) and name in names:
            return parameter
    raise ValueError(f"{command.name} has no option {name}")
