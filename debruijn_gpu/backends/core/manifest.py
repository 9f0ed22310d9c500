"""The manifest: which kernels commands use, with the types of their arguments; made by ``make kernels``.

`kernels.tsv` has a line for each: backend, module, path (see `kernel_names`), types of the arguments, and the numbers
of the scenarios that use it, in the order in which they are first used. A scenario is a command with what decides most
about its kernels.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_name("kernels.tsv")
_SCENARIO = "#"
_WORD_BASES = 32
_WITH_K = ("assemble", "unitigs", "count", "spectrum", "graph")
_WITH_PAIRS = ("-1", "--r1", "--12")
_OTHER_NAMES = {"filter": "compact"}
_WITH_METHOD = ("cyclospec", "debruijn", "generate")


@dataclass(frozen=True)
class Row:
    """A kernel with the types of its arguments.

    Attributes
    ----------
    backend : str
        ``cpu`` or ``cuda``.
    module, path : str
        See `kernel_names.find`.
    signature : str
        Types of the arguments, see `cpu.arguments`.
    scenarios : frozenset of str
    """

    backend: str
    module: str
    path: str
    signature: str
    scenarios: frozenset[str] = frozenset()

    @property
    def commands(self) -> set[str]:
        """Commands that use it."""
        return {scenario.split()[0] for scenario in self.scenarios}


def read(path: Path = FILE) -> list[Row]:
    """Read the manifest, in the order of first use; empty if there is none."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except OSError:
        return []
    scenarios: list[str] = []
    rows = []
    for line in lines:
        fields = line.split("\t")
        if fields[0] == _SCENARIO:
            scenarios.append(fields[1])
        else:
            backend, module, kernel, signature, used = fields
            names = frozenset(scenarios[int(number)] for number in used.split())
            rows.append(Row(backend, module, kernel, signature, names))
    return rows


def write(rows: Iterable[Row], path: Path = FILE) -> None:
    """Write the manifest."""
    rows = list(rows)
    scenarios = sorted({scenario for row in rows for scenario in row.scenarios})
    numbers = {scenario: i for i, scenario in enumerate(scenarios)}
    lines = [f"{_SCENARIO}\t{scenario}" for scenario in scenarios]
    for row in rows:
        used = " ".join(map(str, sorted(numbers[scenario] for scenario in row.scenarios)))
        lines.append("\t".join((row.backend, row.module, row.path, row.signature, used)))
    path.write_text("\n".join(lines) + "\n", "utf-8")


def scenario_of(args: Sequence[str]) -> str:
    """The scenario of a command line: command and method; words of a k-mer, or several k; whether there are pairs."""
    command = _OTHER_NAMES.get(args[0], args[0]) if args else ""
    if command in _WITH_METHOD:
        return " ".join([command, *_subcommand(args), *_value_of(args, "--method")])
    if command not in _WITH_K:
        return command
    parts = [command, _words(args)]
    if command == "assemble":
        has_pairs = "--no-pairs" not in args and any(option in args for option in _WITH_PAIRS)
        parts.append("pairs" if has_pairs else "single")
    return " ".join(parts)


def _subcommand(args: Sequence[str]) -> Sequence[str]:
    """The word after the command, if it is one; peptides are in capitals."""
    return [word for word in args[1:2] if word.isalpha() and word.islower()]


def _value_of(args: Sequence[str], *options: str) -> Sequence[str]:
    return [args[i + 1] for i in range(len(args) - 1) if args[i] in options][:1]


def _words(args: Sequence[str]) -> str:
    """``2w`` for a k of 33 to 64, ``auto`` if it is not one number."""
    value = "".join(_value_of(args, "-k", "--kmer-size"))
    return f"{-(-int(value) // _WORD_BASES)}w" if value.isdecimal() else "auto"


def for_scenario(rows: Iterable[Row], scenario: str, backend: str) -> list[Row]:
    """Rows of a backend that a scenario uses; of an unknown one, the rows that all scenarios of its command share."""
    rows = [row for row in rows if row.backend == backend]
    command = scenario.partition(" ")[0]
    of_command = {known for row in rows for known in row.scenarios if known.partition(" ")[0] == command}
    wanted = {scenario} & of_command or of_command
    return [row for row in rows if wanted and wanted <= row.scenarios]
