"""Report modules and functions of the package that are too long: ``python -m tests.checks.sizes``."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST_MODULE_LINES = 300
MOST_FUNCTION_LINES = 40  # from the signature to the end, without the docstring

Function = ast.FunctionDef | ast.AsyncFunctionDef


def function_lines(function: Function) -> int:
    """Count the lines of a function from ``def`` on, without its docstring."""
    n_lines = (function.end_lineno or function.lineno) - function.lineno + 1
    first = function.body[0]
    if ast.get_docstring(function, clean=False) is not None:
        n_lines -= (first.end_lineno or first.lineno) - first.lineno + 1
    return n_lines


def check_text(text: str) -> Iterator[tuple[int, str]]:
    """Find what is too long in the text of a module: line number and message."""
    n_lines = len(text.splitlines())
    if n_lines > MOST_MODULE_LINES:
        yield 1, f"module of {n_lines} lines -> split it, {MOST_MODULE_LINES} at most"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, Function) and function_lines(node) > MOST_FUNCTION_LINES:
            yield (
                node.lineno,
                f"{node.name} has {function_lines(node)} lines without its docstring "
                f"-> split it, {MOST_FUNCTION_LINES} at most",
            )


def main(root: Path = ROOT) -> int:
    """Print ``file:line: message`` for each finding; return 1 if there are any."""
    n_found = 0
    for path in sorted((root / "debruijn_gpu").rglob("*.py")):
        for line, message in sorted(check_text(path.read_text())):
            print(f"{path.relative_to(root)}:{line}: {message}")
            n_found += 1
    return int(n_found > 0)


if __name__ == "__main__":
    sys.exit(main())
