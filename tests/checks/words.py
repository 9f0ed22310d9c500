"""Report phrases that are not plain technical English: ``python -m tests.checks.words``.

Docstrings, comments, messages and names of tests in Python files, scripts of pages, and Markdown are searched; code in
backquotes and in blocks of Markdown is not. A phrase may continue on the next line.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILES = (
    *("debruijn_gpu/**/*.py", "debruijn_gpu/**/*.js", "debruijn_gpu/**/*.html", "tests/**/*.py"),
    *("*.md", "docs/**/*.md"),
)

#: Phrases, and what to write instead; a blank is any space within a paragraph
PATTERNS = {
    r"\bso many (?:of|as)\b": "number of ..., at most n",
    r"\bwhat there is": "name it",
    r"\bthat are there\b": "existing, or name it",
    r"\bis there to\b": "serves to",
    r"\btells? (?:what|how|whether)\b": "reports, describes, returns whether",
    r"\bof which\b": "write two sentences",
    r"\bmends?\b": "corrects, repairs",
    r"\bkin\b": "variants, relatives",
    r"\ban? \w+ an? (?:line|piece|thread)\b": "one ... per line",
    r"\bgoes on\b": "continues",
    r"\blies? (?:in|on|above)\b": "is in, is within, exceeds",
    r"\belse (?:to|it)\b": "otherwise",
    r"\bnothing for\b": "say what it is",
    r"\bdoes without\b": "does not need",
    r"\bnot said otherwise\b": "by default",
    r"\bpays\b": "is faster",
}
#: Paths that are not searched
ALLOWED = ("tests/checks/words.py", "tests/checks/test_words.py")

_GAP = r"(?:[ \t]+|[ \t]*\n[ \t]*)"
_PHRASE = re.compile("|".join(f"({pattern.replace(' ', _GAP)})" for pattern in PATTERNS), re.IGNORECASE)
_ROUGH = re.compile("|".join(pattern.replace(" ", r"\W+(?:\w?\W+)?") for pattern in PATTERNS), re.IGNORECASE)
_CODE = re.compile(r"^ *```.*?^ *```|``[^`]*``|`[^`]*`", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"(?:^[ \t]*#.*\n?)+|#.*", re.MULTILINE)

#: A line number and the text that begins there
Text = tuple[int, str]


def main(root: Path = ROOT) -> int:
    """Print ``file:line: phrase -> suggestion`` for each finding; return 1 if there are any."""
    n_found = 0
    for path in sorted({path for pattern in FILES for path in root.glob(pattern)}):
        name = path.relative_to(root).as_posix()
        if name in ALLOWED:
            continue
        for line, phrase, suggestion in check_text(path.read_text(), path.suffix):
            print(f"{name}:{line}: {phrase} -> {suggestion}")
            n_found += 1
    return int(n_found > 0)


def check_text(text: str, suffix: str = ".py") -> list[tuple[int, str, str]]:
    """Find phrases in the text of a file: line number, phrase and suggestion, in the order of the lines."""
    texts: Iterator[Text] = iter([(1, text)])
    if suffix == ".js":
        texts = iter([(1, re.sub(r"^[ \t]*(?://|\*)", _blank, text, flags=re.MULTILINE))])  # without comment marks
    elif suffix == ".py":
        if not _ROUGH.search(text.replace("_", " ")):
            return []  # without parsing, which takes most of the time
        texts = _python_texts(text)
    return sorted(found for first_line, part in texts for found in _phrases(first_line, part))


def _phrases(first_line: int, text: str) -> Iterator[tuple[int, str, str]]:
    prose = _CODE.sub(_blank, text)
    for found in _PHRASE.finditer(prose):
        assert found.lastindex is not None
        suggestion = list(PATTERNS.values())[found.lastindex - 1]
        yield first_line + prose.count("\n", 0, found.start()), " ".join(found[0].split()), suggestion


def _blank(found: re.Match[str]) -> str:
    """Replace a match, but for its line ends, by a character that no phrase has."""
    return re.sub(r"[^\n]", "\0" if "`" in found[0] else " ", found[0])


def _python_texts(text: str) -> Iterator[Text]:
    """Find names of tests, strings and comments; values in f-strings are hidden."""
    code = bytearray(text.encode())
    starts = [0]
    for line in code.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    waiting: list[ast.AST] = [ast.parse(text)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.lineno, node.name.replace("_", " ")
        if isinstance(node, ast.JoinedStr):
            values = [part.value if isinstance(part, ast.Constant) else "\0" for part in node.values]
            yield node.lineno, "".join(map(str, values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            is_one_line = node.end_lineno == node.lineno
            yield node.lineno, node.value.replace("\n", " ") if is_one_line else node.value
        if isinstance(node, ast.JoinedStr | ast.Constant):
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
            code[start:end] = re.sub(rb"[^\n]", b" ", code[start:end])
        else:
            waiting.extend(ast.iter_child_nodes(node))
    without_strings = code.decode()
    for found in _COMMENT.finditer(without_strings):
        comment = re.sub(r"^[ \t]*#:?", "", found[0], flags=re.MULTILINE)
        yield without_strings.count("\n", 0, found.start()) + 1, comment


if __name__ == "__main__":
    sys.exit(main())
