"""Options that only work with others, or not with others: a table for each command, checked before any work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from itertools import combinations
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from debruijn_gpu.errors import UsageError

_Function = TypeVar("_Function", bound=Callable[..., Any])

_UNSET = (None, ParameterSource.DEFAULT)


@dataclass(frozen=True)
class Rule:
    """One option, and other conditions: at least one of them must hold, or none may.

    A condition is an option that is given (``--pagerank``, also with its default as the value), or an option or
    argument that has a value, given or by default (``--method random``, ``KIND genome``).

    Attributes
    ----------
    option : str
        As the user writes it; the rule applies where it is given. An argument by its name in help.
    others : tuple of str
        The conditions.
    needed : bool
        Whether one of them must hold; else none may.
    """

    option: str
    others: tuple[str, ...]
    needed: bool


def needs(option: str, *others: str) -> Rule:
    """The rule that an option has an effect only where one of the conditions holds."""
    return Rule(option, others, needed=True)


def excludes(option: str, *others: str) -> Rule:
    """The rule that an option has no effect, or a contradictory one, where any of the conditions holds."""
    return Rule(option, others, needed=False)


def exclusive(*options: str) -> tuple[Rule, ...]:
    """The rules that no two of some options go together."""
    return tuple(excludes(first, second) for first, second in combinations(options, 2))


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
    """Raise UsageError, naming both options, for the first rule that the command line breaks."""
    for rule in rules:
        if not _holds(context, rule.option):
            continue
        if not rule.needed:
            other = next((other for other in rule.others if _holds(context, other)), None)
            if other is not None:
                raise UsageError(f"{rule.option} and {other} exclude each other", "leave one of them out")
        elif not any(_holds(context, other) for other in rule.others):
            others = " or ".join(rule.others)
            raise UsageError(
                f"{rule.option} has no effect without {others}", f"leave {rule.option} out, or give {others}"
            )


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
    """The option or argument that is called so."""
    for parameter in command.params:
        if name in (*parameter.opts, *parameter.secondary_opts):
            return parameter
        names = (str(parameter.name).upper(), str(parameter.metavar)[1:-1])
        if isinstance(parameter, click.Argument) and name in names:
            return parameter
    raise ValueError(f"{command.name} has no option {name}")
