"""The pages of the documentation, and the examples on them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
#: README and pages by path from the root; generated pages have no examples to run
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text()
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
}
_EXAMPLE = re.compile(
    r"^```(?P<language>sh|python)\n(?P<script>.*?)^```\n(?:\n^```text\n(?P<output>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)


class Example(NamedTuple):
    """A fenced block to run, and the output that the page shows for it; None if it shows none."""

    language: str
    script: str
    output: str | None


def examples(text: str) -> list[Example]:
    """Return the blocks marked ``sh`` or ``python``, each with the block marked ``text`` right behind it."""
    return [Example(*found.groups()) for found in _EXAMPLE.finditer(text)]


def parts() -> dict[str, list[Example]]:
    """Return the examples that share a directory, by title: those of a page, or of a section of the README."""
    by_title = {name: examples(text) for name, text in PAGES.items() if name != "README.md"}
    for section in re.split(r"^## ", PAGES["README.md"], flags=re.MULTILINE):
        by_title[f"README.md: {section.partition(chr(10))[0]}"] = examples(section)
    return {title: found for title, found in by_title.items() if found}


def scripts() -> Iterator[str]:
    """Yield all shell scripts of all pages."""
    for text in PAGES.values():
        yield from (example.script for example in examples(text) if example.language == "sh")
