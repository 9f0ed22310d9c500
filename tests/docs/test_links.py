"""Links and pictures lead somewhere, and the navigation holds every page."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import PAGES, ROOT

_LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)")


def _anchors(text):
    """Anchors of the headings of a page, as GitHub and MkDocs make them."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\s-]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files_and_headings(page):
    for target, anchor in _LINK.findall(PAGES[page]):
        path = ((ROOT / page).parent / target).resolve() if target else ROOT / page
        assert path.is_file(), target
        if anchor:
            assert anchor in _anchors(path.read_text()), f"{target}#{anchor}"


def test_the_navigation_holds_every_page_once():
    listed = re.findall(r"[\w/-]+\.md$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    assert sorted(f"docs/{name}" for name in listed) == sorted(set(PAGES) - {"README.md"})


def test_the_start_page_links_to_every_page_but_those_of_commands():
    linked = {f"docs/{target}" for target, _anchor in _LINK.findall(PAGES["docs/README.md"])}
    index = "docs/reference/commands/README.md"
    commands = {name for name in PAGES if name.startswith("docs/reference/commands/") and name != index}
    assert set(PAGES) - {"README.md", "docs/README.md"} - commands <= linked
