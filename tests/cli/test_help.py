"""Help pages: commands by purpose, options in panels, and `dbg help`."""

from __future__ import annotations

import click
import pytest

from debruijn_gpu.cli import COMMANDS, GROUPS, group
from debruijn_gpu.cli.help_options import ALGORITHM, HELP_ALL, INPUT, MACHINE, OUTPUT, PANELS
from debruijn_gpu.cli.help_page import MACHINE_OPTIONS, NAMED, panel_of, panels_of
from debruijn_gpu.cli.paths import InputFile, OtherPath, OutputFile
from debruijn_gpu.version import __version__


def all_commands() -> dict[str, click.Command]:
    """Commands and subcommands, by their words."""
    root = click.Context(group, info_name="dbg")
    found = {name: group.get_command(root, name) for name in COMMANDS}
    for name, command in list(found.items()):
        if isinstance(command, click.Group):
            below = click.Context(command, info_name=name, parent=root)
            found |= {f"{name} {sub}": command.get_command(below, sub) for sub in command.list_commands(below)}
    return found


EVERY = all_commands()


def sections(page: str) -> dict[str, str]:
    """Text of each section of a help page, by heading."""
    found, heading = {"": ""}, ""
    for line in page.splitlines():
        if line.endswith(":") and not line.startswith(" "):
            heading = line[:-1]
            found[heading] = ""
        else:
            found[heading] += line + "\n"
    return found


def test_the_list_of_commands_is_in_groups(dbg):
    code, out, err = dbg("--help")
    assert (code, err) == (0, "")
    found = sections(out)
    assert list(found)[1:] == [*GROUPS, "Options"]
    for title, commands in GROUPS.items():
        assert [line.split(maxsplit=1) for line in found[title].splitlines() if line] == [
            [name, text] for name, text in commands.items()
        ]


@pytest.mark.parametrize("arguments", [[], ["help"], ["-h"]])
def test_no_command_is_a_question_for_help(dbg, arguments):
    assert dbg(*arguments) == dbg("--help")


@pytest.mark.parametrize("option", ["-V", "--version"])
def test_version(dbg, option):
    assert dbg(option) == (0, f"dbg {__version__}\n", "")


@pytest.mark.parametrize("name", EVERY)
def test_help_of_every_command_has_panels_and_examples(dbg, name):
    code, page, err = dbg(*name.split(), "--help")
    assert (code, err) == (0, "")
    assert dbg("help", *name.split()) == (0, page, "")
    code, full, err = dbg(*name.split(), HELP_ALL)
    assert (code, err) == (0, "")
    assert dbg("help", *name.split(), "--all") == (0, full, "")
    panels = panels_of(EVERY[name])
    assert MACHINE in panels
    short = sections(page)
    assert list(short)[-1] == "Examples"
    assert [title for title in PANELS if title in sections(full)] == list(panels)
    context = click.Context(EVERY[name])
    for panel, options in panels.items():
        for option in options:
            heading = panel if panel != MACHINE else f"{MACHINE} ({HELP_ALL} describes these)"
            assert min(option.opts, key=len) in short[heading]
            assert f"  {option.get_help_record(context)[0]}" in sections(full)[panel]
    assert len(short[f"{MACHINE} ({HELP_ALL} describes these)"].split("\n  ")) <= 2


@pytest.mark.parametrize("name", EVERY)
def test_machine_options_are_in_no_other_panel(name):
    for panel, options in panels_of(EVERY[name]).items():
        assert {option.name in MACHINE_OPTIONS for option in options} == {panel == MACHINE}


@pytest.mark.parametrize("name", EVERY)
def test_hidden_options_are_in_no_panel(name):
    shown = [option for options in panels_of(EVERY[name]).values() for option in options]
    assert not any(option.hidden for option in shown)
    assert sum(isinstance(p, click.Option) and not p.hidden for p in EVERY[name].params) == len(shown)


@pytest.mark.parametrize(
    ("option", "panel"),
    [
        (click.Option(["--known"], type=InputFile(), help="Known genes."), INPUT),
        (click.Option(["--table"], type=OutputFile(), help="Table of genes."), OUTPUT),
        (click.Option(["--spill"], type=OtherPath(), help="Directory."), MACHINE),
        (click.Option(["--header"], is_flag=True, help="Read names of columns from the first line."), INPUT),
        (click.Option(["--all-forms"], is_flag=True, help="Write all rotations."), OUTPUT),
        (click.Option(["--also"], is_flag=True, help="Also write rotations."), OUTPUT),
        (click.Option(["--threads"], help="Threads to write with."), MACHINE),
        (click.Option(["--format"], help="FASTA or GFA."), OUTPUT),
        (click.Option(["--error"], help="Error rate."), ALGORITHM),
        (click.Option(["--bare"]), ALGORITHM),
        (click.Option(["--length"], help="Read length."), INPUT),
    ],
)
def test_panels_of_new_options_follow_from_what_they_are(option, panel):
    assert panel_of(option, "some") == panel


def test_named_options_exist():
    for commands, panels in NAMED.items():
        among = [c for name, c in EVERY.items() if commands == ("",) or c.name in commands or name in commands]
        known = {opt for command in among for parameter in command.params for opt in parameter.opts}
        assert [name for names in panels.values() for name in names.split() if name not in known] == []


def test_panels_of_one_option_may_differ_by_command():
    length = next(option for option in EVERY["simulate"].params if option.name == "length_bp")
    assert panel_of(length, "simulate") == ALGORITHM


@pytest.mark.parametrize(
    ("words", "what", "fix"),
    [
        ("help srot", "dbg srot: no such command", "did you mean 'dbg sort'? 'dbg --help' lists the commands"),
        ("help debruijn verfy", "dbg debruijn verfy: no such command", "did you mean 'dbg debruijn verify'?"),
        ("help sort numbers", "dbg sort numbers: no such command", "dbg sort has no commands"),
    ],
)
def test_help_of_an_unknown_command(dbg, words, what, fix):
    code, out, err = dbg(*words.split())
    assert (code, out) == (2, "")
    assert err.startswith(f"dbg: {what}\n     {fix}")
