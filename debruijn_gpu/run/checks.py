"""Checks of option values. Dataclasses of options declare them; errors of options are worded here.

A dataclass derives from `Checked` and lists its checks in the order in which they are made::

    @dataclass(frozen=True, kw_only=True)
    class EulerOptions(Checked):
        algorithm: str = "parallel"
        path: bool = False
        trails: bool = False

        checks = (one_of("algorithm", ("parallel", "hierholzer")), *exclusive("path", "trails"))

Messages name a field as the command line does: ``max_degree`` is ``--max-degree``, and ``length_bp`` is ``--length``.
A class may set another prefix in ``option_prefix``, and names of single options in ``option_names``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import combinations
from typing import Any, ClassVar, TypeAlias

from debruijn_gpu.errors import DbgError, OptionValueError, UsageError

#: Raises an error for options that do not meet a condition: OptionValueError for a value out of range, else UsageError
Check: TypeAlias = Callable[[Any], None]


class Checked:
    """Base of dataclasses of options that are checked when they are made.

    Attributes
    ----------
    checks : sequence of Check
    option_prefix : str
        Precedes the names of all options: ``--pair-`` for ``--pair-path-ratio``.
    option_names : mapping of str to str
        Options that are not called like their fields.
    """

    checks: ClassVar[Sequence[Check]] = ()
    option_prefix: ClassVar[str] = "--"
    option_names: ClassVar[Mapping[str, str]] = {}

    def __post_init__(self) -> None:
        for check in self.checks:
            check(self)

    @classmethod
    def option_name(cls, field: str) -> str:
        """Return the name of the option that sets a field."""
        return cls.option_names.get(field, cls.option_prefix + field.removesuffix("_bp").replace("_", "-"))

    def is_given(self, condition: str) -> bool:
        """Return whether a field differs from its default, or for ``field value`` has that value."""
        name, _, value = condition.partition(" ")
        found = getattr(self, name)
        if value:
            return str(found) == value
        return bool(found != next(field.default for field in fields(self) if field.name == name))  # type: ignore[arg-type]

    @classmethod
    def spelled(cls, condition: str) -> str:
        """Return a condition as the user writes it: ``kind random`` is ``KIND random``."""
        name, blank, value = condition.partition(" ")
        return cls.option_name(name) + blank + value


def at_least(field: str, low: int, remedy: str | None = None) -> Check:
    """Check that a number is ``low`` or more, or None."""
    return between(field, low, None, remedy)


def between(field: str, low: float, high: float | None, remedy: str | None = None) -> Check:
    """Check that a number is in an interval, both ends included, or None."""

    def check(options: Checked) -> None:
        value = getattr(options, field)
        if value is not None:
            check_range(options.option_name(field), value, low, high, remedy)

    return check


def one_of(field: str, choices: Sequence[str], noun: str | None = None) -> Check:
    """Check that a text is one of some, or None; ``noun`` is what they are called in messages, by default the field."""

    def check(options: Checked) -> None:
        value = getattr(options, field)
        if value is not None:
            check_choice(options.option_name(field), value, choices, noun or field)

    return check


def valid(field: str, check_value: Callable[[Any], object]) -> Check:
    """Check a value, unless it is None, by a function that raises an error."""

    def check(options: Checked) -> None:
        if getattr(options, field) is not None:
            check_value(getattr(options, field))

    return check


def each(field: str, check_value: Callable[[Any], object]) -> Check:
    """Check each value of a tuple by a function that raises an error."""

    def check(options: Checked) -> None:
        for value in getattr(options, field):
            check_value(value)

    return check


def ensure(
    condition: Callable[[Any], bool],
    what: Callable[[Any], str],
    remedy: str,
    error: type[DbgError] = OptionValueError,
) -> Check:
    """Check a condition on several fields; ``what`` words the error."""

    def check(options: Checked) -> None:
        if not condition(options):
            raise error(what(options), remedy)

    return check


@dataclass(frozen=True)
class Rule:
    """One option, and other conditions: at least one of them must hold, or none may.

    A condition is an option that is given, or an option with a value (``--method random``). On the command line these
    are options and arguments, in a dataclass fields.

    Attributes
    ----------
    option : str
        The rule applies where this is given.
    others : tuple of str
        The conditions.
    needed : bool
        Whether one of them must hold; else none may.
    remedy : str or None
    """

    option: str
    others: tuple[str, ...]
    needed: bool
    remedy: str | None = None

    def __call__(self, options: Checked) -> None:
        self.check(options.is_given, options.spelled)

    def check(self, holds: Callable[[str], bool], spelled: Callable[[str], str] = str) -> None:
        """Raise UsageError, naming both options, if the rule is broken."""
        if not holds(self.option):
            return
        option = spelled(self.option)
        if self.needed and not any(map(holds, self.others)):
            others = " or ".join(map(spelled, self.others))
            remedy = self.remedy or f"leave {option} out, or give {others}"
            raise UsageError(f"{option} has no effect without {others}", remedy)
        other = None if self.needed else next(filter(holds, self.others), None)
        if other is not None:
            remedy = self.remedy or "leave one of them out"
            raise UsageError(f"{option} and {spelled(other)} exclude each other", remedy)


def needs(option: str, *others: str, remedy: str | None = None) -> Rule:
    """Make the rule that an option has an effect only where one of the conditions holds."""
    return Rule(option, others, True, remedy)


def excludes(option: str, *others: str, remedy: str | None = None) -> Rule:
    """Make the rule that an option has no effect, or a contradictory one, where any of the conditions holds."""
    return Rule(option, others, False, remedy)


def exclusive(*options: str, remedy: str | None = None) -> tuple[Rule, ...]:
    """Make the rules that no two of some options go together."""
    return tuple(excludes(first, second, remedy=remedy) for first, second in combinations(options, 2))


def check_choice(option: str, value: str, choices: Sequence[str], noun: str) -> str:
    """Return a value that is one of the choices.

    Raises
    ------
    UsageError
        With the choices.
    """
    if value not in choices:
        raise UsageError(f"{option} {value}: no such {noun}", f"choose one of {', '.join(choices)}")
    return value


def check_range(option: str, value: float, low: float, high: float | None = None, remedy: str | None = None) -> None:
    """Raise OptionValueError for a number below ``low`` or above ``high``, and for NaN."""
    if low <= value and (high is None or value <= high):
        return
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    interval = f"{low:,} or more" if high is None else f"a number from {low:,} to {high:,}"
    raise OptionValueError(f"{option} is {shown}", remedy or f"give {interval}")
