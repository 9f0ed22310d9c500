"""The committed reference pages are those that the generator writes."""

from __future__ import annotations

import importlib.util
import inspect
import re

import click
import pytest

import debruijn_gpu
from debruijn_gpu.cli import COMMANDS, group
from debruijn_gpu.cli.expert_options import PresetCommand
from tests.docs.pages import PAGES, ROOT


@pytest.fixture(scope="module")
def generator():
    spec = importlib.util.spec_from_file_location("generate_reference", ROOT / "docs" / "generate_reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_committed_pages_are_those_of_the_generator(generator):
    """If this fails: python docs/generate_reference.py, and commit."""
    pages = {f"docs/{name}": text for name, text in generator.pages().items()}
    assert [name for name, text in pages.items() if PAGES.get(name) != text] == []
    folder = "docs/reference/commands/"
    assert {name for name in PAGES if name.startswith(folder)} == {name for name in pages if name.startswith(folder)}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_of_a_command_has_all_of_its_options(name):
    page = PAGES[f"docs/reference/commands/{name}.md"]
    command = group.get_command(None, name)
    below = command.commands.values() if isinstance(command, click.Group) else ()
    for each in (command, *below):
        for parameter in each.params:
            is_former = isinstance(parameter, click.Option) and parameter.hidden and not isinstance(each, PresetCommand)
            if isinstance(parameter, click.Option) and not is_former:
                assert parameter.opts[-1] in page


def test_the_names_of_the_api_are_those_that_are_documented():
    page = PAGES["docs/reference/python.md"]
    documented = re.findall(r"^### `(\w+)`$", page, re.MULTILINE)
    assert sorted(documented) == sorted(set(debruijn_gpu.__all__) - {"__version__"})
    assert len(set(debruijn_gpu.__all__)) == len(debruijn_gpu.__all__)
    for name in documented:
        thing = getattr(debruijn_gpu, name)
        assert inspect.getdoc(thing)
        if inspect.isfunction(thing):
            parameters = inspect.signature(thing).parameters.values()
            assert all(each.annotation is not each.empty for each in parameters), name
    assert "`debruijn_gpu.__version__`" in page
    assert (ROOT / "debruijn_gpu" / "py.typed").is_file()


def test_docstrings_become_markdown(generator):
    def sample(a, *, b=1):
        """Add ``a`` and b.

        Parameters
        ----------
        a : int
            The first one,
            in two lines.
        b : int
        """

    blocks = list(generator._api_blocks("sample", sample))
    assert blocks == [
        "### `sample`",
        "```text\nsample(a, *, b=1)\n```",
        "Add `a` and b.",
        "*Parameters*",
        "- `a` (int): The first one, in two lines.\n- `b` (int)",
    ]


def test_help_texts_become_markdown(generator):
    assert generator._text("Write a_b | c with --count, not <x>; see -o.") == (
        r"Write a\_b \| c with `--count`, not \<x\>; see `-o`."
    )
    assert list(generator._help_blocks("One\ntwo.\n\n\b\nx  1\ny  2")) == ["One two.", "```text\nx  1\ny  2\n```"]
