"""The check of words finds phrases where people read them, and nowhere else."""

from __future__ import annotations

import pytest

from tests.checks import words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('"""Tell.\n\nNothing for\n   this.\n"""\n', [(3, "Nothing for")]),
        ("x = 1\n# so many\n# of them\n", [(2, "so many of")]),
        ("x = 1  # what pays\n", [(1, "pays")]),
        ('print(\n    "reads, of "\n    f"which {x} are"\n)\n', [(2, "of which")]),
        ('print(f"goes {x} on")\n', []),
        ('"""The option `pays` and ``goes on``."""\n', []),
        ("pays = 1\n", []),
        ('x = {"a": "#"}  # it lies in\n', [(1, "lies in")]),
        ('x = "# of which"  # fine\n', [(1, "of which")]),
        ('x = "é"; y = "#"  # kin\n', [(1, "kin")]),
        ("def test_what_there_is():\n    pass\n", [(1, "what there is")]),
        ("def what_there_is():\n    pass\n", []),
        ('"""so many\n\nof them"""\n', []),
        ("# a recommends b, and akin\n", []),
        ("# an edge a line, a walk per line\n", [(1, "an edge a line")]),
    ],
)
def test_phrases_in_python(text, found):
    assert [(line, phrase) for line, phrase, _suggestion in words.check_text(text)] == found


@pytest.mark.parametrize(
    ("suffix", "text", "found"),
    [
        (".js", "// it goes\n// on\nconst pays = 'else to';\n", [(1, "goes on"), (3, "else to"), (3, "pays")]),
        (
            ".md",
            "A path of\nwhich\n\n```console\n$ pays\n```\n\n`kin` lies above.\n",
            [(1, "of which"), (8, "lies above")],
        ),
    ],
)
def test_phrases_in_scripts_and_pages(suffix, text, found):
    assert [(line, phrase) for line, phrase, _suggestion in words.check_text(text, suffix)] == found


def test_findings_are_printed_and_fail(tmp_path, capsys):
    (tmp_path / "README.md").write_text("Plain words.\n")
    assert words.main(tmp_path) == 0
    (tmp_path / "debruijn_gpu" / "io").mkdir(parents=True)
    (tmp_path / "debruijn_gpu" / "io" / "a.py").write_text("# line\n\n# what pays\n")
    assert words.main(tmp_path) == 1
    assert capsys.readouterr().out == "debruijn_gpu/io/a.py:3: pays -> is faster\n"
