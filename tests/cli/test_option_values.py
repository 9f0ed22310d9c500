"""Bad values of every option of every command: exit code 2, whatever the input."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from debruijn_gpu.cli import COMMANDS, group
from debruijn_gpu.cli.option_types import COUNT, RenamedOption
from tests.cli.small_inputs import write_small_inputs

#: Options that are integers, but neither counts nor lengths, and have no suffixes
PLAIN_INTEGERS = {"-k", "--alphabet", "--threads", "--seed", "--charge", "--fragment-charge"}
#: Command: arguments with which it runs
RUNNING = {
    "assemble": "reads.fa -k 21 --min-contig 0",
    "unitigs": "reads.fa -k 21",
    "count": "reads.fa -k 5",
    "spectrum": "reads.fa -k 5",
    "map": "reads.fa genome.fa",
    "query": "counted.tsv reads.fa",
    "screen": "reads.fa --against genome.fa -k 5",
    "matrix": "reads.fa -k 5",
    "bin": "contigs.fa --min-length 500 --min-bin 1",
    "som": "numbers.txt",
    "report": "genome.fa",
    "stats": "genome.fa",
    "simulate": "genome.fa --length 20 --depth 1",
    "sort": "numbers.txt",
    "distinct": "numbers.txt",
    "compact": "numbers.txt --where nonzero",
    "histogram": "numbers.txt",
    "join": "numbers.txt numbers.txt",
    "graph": "edges.txt",
    "euler": "edges.txt",
    "draw": "edges.txt --format dot",
    "generate": "random -n 9",
    "debruijn": "-n 3",
    "debruijn locate": "010",
    "debruijn at": "1 -n 3",
    "debruijn verify": "ring.txt",
    "debruijn count": "-n 3",
    "lookandsay": "1 -n 3",
    "cyclospec spectrum": "NQEL",
    "cyclospec sequence": "masses.txt",
    "cyclospec score": "NQEL masses.txt",
    "cyclospec trim": "NQEL masses.txt --top 1",
    "cyclospec convolve": "masses.txt",
    "cyclospec count": "200",
    **{
        f"kmers {name}": "counted.tsv"
        for name in (
            *("union", "intersect", "subtract", "difference", "symmetric"),
            *("info", "dump", "histogram", "compare"),
        )
    },
    "kmers expr": "a a=counted.tsv",
    "color build": "genome.fa -k 5",
    "color grep": "genome.dbgc --min-samples 1",
    "color sets": "genome.dbgc",
    "color samples": "genome.dbgc",
    "bench": "sort --sizes 100 --repeats 1",
    "warmup": "sort",
    "doctor": "",
    "help": "",
    "completion": "bash",
}
#: Options without which another one has no effect
NEEDED = {
    "--max-degree": "random -n 9", "--cycle-edges": "cactus -n 9", "-k generate": "genome -n 99 -k 3",
    "--repeats generate": "genome -n 99 -k 3", "--repeat-length": "genome -n 99 -k 3", "--insert": "--paired",
    "--insert-sd": "--paired", "--columns": "--dtype i64", "--damping": "--pagerank", "--tolerance graph": "--pagerank",
    "--iterations": "--pagerank", "--radius": "--around 1", "--stage": "--circuits",
    "--frequent": "--alphabet spectrum", "--tolerance cyclospec sequence": "--method leaderboard",
    "--seed debruijn": "--method random", "--min-count graph": "-k 2", "--min-count euler": "-k 2",
    "--limit euler": "--all", "--limit debruijn": "--all", "--ions": "--linear",
    "--min-count draw": "-k 2", "--against": "--plot x.svg", "--tolerance cyclospec spectrum": "--plot x.svg",
    "--limit graph": "--check", "--ends": "--trim", "--min-length screen": "--trim",
    "--output-1": "--12 reads.fa -o2 y", "--output-2": "--12 reads.fa -o1 y",
    "--against screen": "", "--keep screen": "",
}  # fmt: skip
#: Text that is a value of any of these
FREE_TEXT = {
    "--any-of",
    "--all-of",
    "--none-of",
    "--title",
    "--start",
    "--around",
    "--name",
    "--alphabet",
    "--forbid",
    "--tmp-dir",
    "--rotate",
    "--fields",
}
#: Options for which each of these is a value
ALLOWED = {
    "-1": {"--charge", "--fragment-charge"},
    "0": {
        *(
            "--threads",
            "--seed",
            "--min-contig",
            "--max-depth",
            "--sub-rate",
            "--indel-rate",
            "--insert-sd",
            "--number",
        ),
        *("--repeats generate", "--in", "--out", "--radius", "--n-vertices", "--offset", "--min-share", "--damping"),
        *("-n lookandsay", "--tolerance", "--limit debruijn verify", "--pairs", "--min-length screen", "--steps"),
        *("--min-bin", "--share-min"),
    },
}


def commands() -> Iterator[tuple[str, click.Command]]:
    for name in COMMANDS:
        command = group.get_command(None, name)
        if not isinstance(command, click.Group) or command.invoke_without_command:
            yield name, command
        for sub, one in getattr(command, "commands", {}).items():
            yield f"{name} {sub}", one


def options() -> list[tuple[str, click.Option]]:
    return [
        (name, parameter)
        for name, command in commands()
        for parameter in command.params
        if isinstance(parameter, click.Option) and not parameter.is_flag and not parameter.count
    ]


def spelled(option: click.Option) -> str:
    return option.opts[-1]


def is_text(option: click.Option) -> bool:
    return isinstance(option.type, click.types.StringParamType)


def is_number(option: click.Option) -> bool:
    return option.type is COUNT or isinstance(option.type, (click.types.IntParamType, click.types.FloatParamType))


def by_command(found: list[tuple[str, click.Option]]) -> list:
    """Parameters of tests: each command and its options."""
    options: dict[str, list[click.Option]] = {}
    for name, option in found:
        options.setdefault(name, []).append(option)
    return [pytest.param(name, some, id=name) for name, some in options.items()]


OPTIONS = options()
NUMBERS = [(name, option) for name, option in OPTIONS if is_number(option)]
#: Options whose values are texts that the commands parse
PARSED = [(name, option) for name, option in OPTIONS if is_text(option) and spelled(option) not in FREE_TEXT]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_small_inputs()


@pytest.fixture
def answers(dbg):
    """A function that runs a command with each value for each option: exit codes and errors by option and value."""

    def run(name, options, values):
        return {
            f"{spelled(option)} {value!r}": dbg(*running(name, option), spelled(option), value)[::2]
            for option in options
            for value in values
        }

    return run


def running(name, option):
    """Words of a command that runs, to which the option can be added."""
    needed = NEEDED.get(f"{spelled(option)} {name}", NEEDED.get(spelled(option), ""))
    words = needed if name == "generate" and needed else f"{RUNNING[name]} {needed}"
    if name == "bench":
        words = "sort" if spelled(option) in ("--sizes", "--max-size") else "sort --sizes 100"
    return [*name.split(), *words.split()]


def test_every_command_is_tried():
    assert {name for name, _ in commands()} == set(RUNNING)


def test_every_count_takes_suffixes():
    """An option that is an integer is of the type COUNT, or listed above as neither count nor length."""
    plain = {spelled(option) for _name, option in OPTIONS if isinstance(option.type, click.types.IntParamType)}
    assert plain <= PLAIN_INTEGERS


@pytest.mark.parametrize(("name", "options"), by_command(NUMBERS))
def test_what_is_no_number_is_a_usage_error(answers, name, options):
    found = answers(name, options, ["x", ""])
    assert not {case: (code, err) for case, (code, err) in found.items() if code != 2 or case.split()[0] not in err}


@pytest.mark.parametrize("value", ["-1", "0"])
@pytest.mark.parametrize(("name", "options"), by_command(NUMBERS))
def test_numbers_out_of_range_are_usage_errors(answers, name, options, value):
    allowed = ALLOWED[value]
    options = [option for option in options if not {spelled(option), f"{spelled(option)} {name}"} & allowed]
    found = answers(name, [option for option in options if value != "0" or not option.hidden], [value])
    assert not {case: (code, err) for case, (code, err) in found.items() if code != 2}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), by_command(NUMBERS))
def test_huge_numbers_are_no_defects(answers, name, options):
    found = answers(name, options, ["9" * 30, "1e300"])
    assert not {
        case: (code, err)
        for case, (code, err) in found.items()
        if code not in (0, 2, 67, 69, 137) or "unexpected" in err
    }
    below = answers(name, options, ["-" + "9" * 30])
    assert not {case: (code, err) for case, (code, err) in below.items() if code != 2 or "unexpected" in err}


@pytest.mark.parametrize(("name", "options"), by_command(PARSED))
def test_other_bad_values_are_usage_errors(answers, name, options):
    found = answers(name, options, ["no such value", ""])
    assert not {case: (code, err) for case, (code, err) in found.items() if code != 2}


@pytest.mark.parametrize("text", ["2k", "2K", "0.002M", "2,000", "2e3"])
def test_counts_and_lengths_have_suffixes(dbg, text):
    plain = dbg("simulate", "genome.fa", "--length", 20, "--depth", 1, "--insert", 20, "--paired", "--seed", 2)
    assert plain[0] == 0
    assert dbg("generate", "random", "-n", text, "-q") == dbg("generate", "random", "-n", 2000, "-q")
    assert dbg("stats", "genome.fa", "--min-contig", text) == dbg("stats", "genome.fa", "--min-contig", 2000)
    assert dbg("count", "reads.fa", "-q", "--min-count", text) == dbg("count", "reads.fa", "-q", "--min-count", 2000)


#: A line with a former name or value, and the same as it is spelled now
RENAMED = [
    ("sort numbers.txt --to csv", "sort numbers.txt --format csv"),
    ("generate random -n 9 --to csv", "generate random -n 9 --format csv"),
    ("euler edges.txt --to text", "euler edges.txt --format text"),
    ("debruijn -n 3 --to checksum", "debruijn -n 3 --format checksum"),
    ("cyclospec NQEL --to tsv", "cyclospec NQEL --format tsv"),
    ("stats genome.fa --tsv", "stats genome.fa --format tsv"),
    ("stats genome.fa --json", "stats genome.fa --format json"),
    ("graph edges.txt --tsv", "graph edges.txt --format tsv"),
    ("graph edges.txt --json", "graph edges.txt --format json"),
    ("cyclospec convolve masses.txt --between 57..100", "cyclospec convolve masses.txt --between 57:100"),
    ("cyclospec count 200 --alphabet 57..100", "cyclospec count 200 --alphabet 57:100"),
    ("generate shallow -n 20 --ring 3", "generate cactus -n 20 --cycle-edges 3"),
    ("draw edges.txt --format dot --circuits --stage joined", "draw edges.txt --format dot --circuits --stage spliced"),
    (
        "assemble reads.fa -k 19,21 --min-contig 0 --chimera-length 2 --chimera-ratio 0.1 --early-chimera-ratio 0.1",
        "assemble reads.fa -k 19,21 --min-contig 0 --connection-length 2 --connection-ratio 0.1",
    ),
    ("histogram numbers.txt --range 0,4", "histogram numbers.txt --range 0:4"),
]


@pytest.mark.parametrize(("old", "new"), RENAMED)
def test_former_spellings_mean_the_same(dbg, old, new):
    found = dbg(*old.split(), "-q")
    assert found == dbg(*new.split(), "-q")
    assert found[0] == 0


def test_help_shows_no_former_names(dbg):
    for name, option in OPTIONS:
        if isinstance(option, RenamedOption):
            page = dbg(*name.split(), "--help")[1]
            assert not [old for old in option.old if f"{old} " in page or f"{old}," in page]


@pytest.mark.parametrize("format_name", ["png", "svg"])
def test_f_of_draw_has_a_hint(dbg, format_name):
    code, out, err = dbg("draw", "edges.txt", "-f", format_name)
    assert (code, out) == (2, "")
    assert f"write --format {format_name}" in err
