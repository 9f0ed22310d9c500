"""A small interpreter of the Verilog that exports are made of: one module with registers, wires and one clock."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"\s*(\d+'[db]\d+|\d+|[A-Za-z_]\w*|&&|\|\||==|[\[\]{}():?,+*%^!])")
_LEVELS = (("||",), ("&&",), ("^",), ("==",), ("+",), ("*", "%"))
_OPERATIONS = {
    "||": lambda a, b: int(bool(a) or bool(b)),
    "&&": lambda a, b: int(bool(a) and bool(b)),
    "^": lambda a, b: a ^ b,
    "==": lambda a, b: int(a == b),
    "+": lambda a, b: a + b,
    "*": lambda a, b: a * b,
    "%": lambda a, b: a % b,
}


class Module:
    """Runs a module; values are integers of Python, so widths of sums are checked to suffice."""

    def __init__(self, text):
        text = re.sub(r"//[^\n]*", "", text)
        declared = re.findall(r"(output wire|wire|reg) (?:\[(\d+):0\] )?(\w+)", text)
        self.widths = {name: int(high or 0) + 1 for _, high, name in declared}
        self.registers = [name for kind, _, name in declared if kind == "reg"]
        self.assigned = re.findall(r"(?:wire (?:\[\d+:0\] )?|assign )(\w+) = ([^;]+);", text)
        resets, updates = text.split("if (reset) begin")[1].split("end else if (enable) begin")
        self.resets = re.findall(r"(\w+) <= ([^;]+);", resets)
        self.updates = re.findall(r"(\w+) <= ([^;]+);", updates)
        assert [name for name, _ in self.resets] == [name for name, _ in self.updates] == self.registers
        self.values = dict.fromkeys(self.registers, 0)

    def clock(self):
        """The output, before a clock at which the module is enabled."""
        values = dict(self.values)
        for name, expression in self.assigned:
            value = self.evaluate(expression, values)
            assert value < 1 << self.widths[name], f"{name} is cut"
            values[name] = value
        self.values = {name: self.evaluate(expression, values) for name, expression in self.updates}
        assert all(value < 1 << self.widths[name] for name, value in self.values.items())
        return values["symbol"]

    def evaluate(self, expression, values):
        tokens = _TOKEN.findall(expression)
        assert "".join(tokens) == re.sub(r"\s", "", expression), expression
        value, _ = self._conditional(tokens, values)
        assert not tokens, expression
        return value

    def _conditional(self, tokens, values):
        value = self._binary(tokens, values, 0)
        if tokens and tokens[0] == "?":
            tokens.pop(0)
            one, _ = self._conditional(tokens, values)
            assert tokens.pop(0) == ":"
            other, _ = self._conditional(tokens, values)
            return (one if value[0] else other), None
        return value

    def _binary(self, tokens, values, level):
        if level == len(_LEVELS):
            return self._primary(tokens, values)
        left = self._binary(tokens, values, level + 1)
        while tokens and tokens[0] in _LEVELS[level]:
            operation = tokens.pop(0)
            right = self._binary(tokens, values, level + 1)
            value = _OPERATIONS[operation](left[0], right[0])
            widths = (left[1], right[1])
            if operation in "+*%" and None not in widths:
                assert value < 1 << max(widths), "an intermediate value is cut"
            left = value, (1 if operation in ("==", "&&", "||") else None if None in widths else max(widths))
        return left

    def _primary(self, tokens, values):
        token = tokens.pop(0)
        if token == "(":
            value = self._conditional(tokens, values)
            assert tokens.pop(0) == ")"
            return value
        if token == "{":
            total, n_bits = 0, 0
            while True:
                value, width = self._conditional(tokens, values)
                total, n_bits = total << width | value, n_bits + width
                if tokens.pop(0) == "}":
                    return total, n_bits
        if "'" in token:
            width, _, digits = token.partition("'")
            return int(digits[1:], 2 if digits[0] == "b" else 10), int(width)
        if token.isdigit():
            return int(token), 32
        value, width = values[token], self.widths[token]
        if tokens and tokens[0] == "[":
            tokens.pop(0)
            high = low = int(tokens.pop(0))
            if tokens.pop(0) == ":":
                low = int(tokens.pop(0))
                assert tokens.pop(0) == "]"
            assert high < width
            return value >> low & ((1 << (high - low + 1)) - 1), high - low + 1
        return value, width
