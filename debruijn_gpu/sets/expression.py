"""Parse expressions of sets of k-mers, as KMC's complex operations write them.

``a * b`` is the intersection, ``a + b`` the union, ``a - b`` has the k-mers of a that b lacks, and ``a ~ b`` the counts
of a less those of b. The intersection binds tighter; the others share one level; operators of one level are applied
from left to right. Behind ``+`` and ``*`` there may be a rule for the count of k-mers that both sides have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from debruijn_gpu.backends.kmers import set_programs
from debruijn_gpu.backends.kmers.set_programs import RULES, SetProgram
from debruijn_gpu.errors import UsageError
from debruijn_gpu.sets.options import CountLimits

_OPERATORS = {"+": "union", "-": "subtract", "~": "difference", "*": "intersect"}
_DEFAULT_RULES = {"+": "sum", "*": "min", "-": "left", "~": "diff"}
_TOKEN = re.compile(r"\s*(?:([A-Za-z_][A-Za-z0-9_.]*)|([-+*~()])|(\S))")
_NESTED = 50  # parentheses within each other
_FIX = "write it like (a + b) * c - d, and name the sets: a=FILE b=FILE"


@dataclass(frozen=True)
class _Token:
    text: str
    at: int
    is_name: bool


def parse_expression(text: str, sets: Mapping[str, int], limits: CountLimits | None = None) -> SetProgram:
    """Parse an expression of named sets.

    Parameters
    ----------
    text : str
    sets : mapping of str to int
        Numbers of the sets by name.
    limits : CountLimits, optional
        Of the counts in the result.

    Raises
    ------
    UsageError
        If it is no expression, or names a set that is not there; or if a set is not used.
    """
    parser = _Parser(text, sets)
    steps = parser.parse()
    unused = [name for name in sets if name not in parser.used]
    if unused:
        raise UsageError(f"the expression does not use {unused[0]}", "leave the set out, or use it")
    limits = limits or CountLimits()
    return SetProgram(tuple(steps), len(sets), limits.min_count, limits.most)


class _Parser:
    """A recursive-descent parser that writes postfix steps."""

    def __init__(self, text: str, sets: Mapping[str, int]) -> None:
        self._text = text
        self._sets = sets
        self._tokens = list(self._split(text))
        self._next = 0
        self._depth = 0
        self.used: set[str] = set()
        self._steps: list[tuple[int, int, int, int]] = []

    def parse(self) -> list[tuple[int, int, int, int]]:
        """Return the steps of the whole expression."""
        self._sum()
        if self._next < len(self._tokens):
            raise self._error(f"{self._tokens[self._next].text!r} is not expected", self._tokens[self._next].at)
        return self._steps

    def _sum(self) -> None:
        """Terms with +, - or ~ between them."""
        self._operators("+-~", self._product)

    def _product(self) -> None:
        """Factors with * between them."""
        self._operators("*", self._factor)

    def _operators(self, signs: str, operand: Callable[[], None]) -> None:
        operand()
        while (token := self._peek()) is not None and not token.is_name and token.text in signs:
            self._next += 1
            rule = self._rule(token.text)
            operand()
            self._steps.append(set_programs.apply(_OPERATORS[token.text], rule))

    def _rule(self, sign: str) -> str:
        """Take the rule for counts behind an operator, if there is one."""
        token = self._peek()
        after = self._tokens[self._next + 1] if self._next + 1 < len(self._tokens) else None
        begins_operand = after is not None and (after.is_name or after.text == "(")
        if token is None or not token.is_name or token.text not in RULES or not begins_operand:
            return _DEFAULT_RULES[sign]
        if sign in "-~":
            raise self._error(f"{sign} takes no rule for counts, got {token.text}", token.at)
        self._next += 1
        return token.text

    def _factor(self) -> None:
        """A set, or an expression in parentheses."""
        token = self._peek()
        if token is None:
            raise self._error("a set is expected", len(self._text))
        self._next += 1
        if token.is_name:
            if token.text not in self._sets:
                known = ", ".join(self._sets)
                raise self._error(f"there is no set {token.text} (sets: {known})", token.at)
            self.used.add(token.text)
            self._steps.append(set_programs.load(self._sets[token.text]))
            return
        if token.text != "(":
            raise self._error(f"a set is expected, got {token.text!r}", token.at)
        self._depth += 1
        if self._depth > _NESTED:
            raise self._error("too many parentheses within each other", token.at)
        self._sum()
        closing = self._peek()
        if closing is None or closing.text != ")":
            raise self._error("a closing parenthesis is missing", len(self._text) if closing is None else closing.at)
        self._next += 1
        self._depth -= 1

    def _peek(self) -> _Token | None:
        return self._tokens[self._next] if self._next < len(self._tokens) else None

    def _split(self, text: str) -> Iterator[_Token]:
        for found in _TOKEN.finditer(text.rstrip()):
            name, sign, other = found.groups()
            if other is not None:
                raise self._error(f"{other!r} is no operator", found.start(3))
            yield _Token(name or sign, found.start(1 if name else 2), name is not None)

    def _error(self, what: str, at: int) -> UsageError:
        return UsageError(f"expression, character {at + 1}: {what}", _FIX)
