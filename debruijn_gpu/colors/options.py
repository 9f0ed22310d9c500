"""Options of coloured graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from debruijn_gpu.errors import ParameterError, UsageError
from debruijn_gpu.run.checks import Check, Checked, at_least, ensure, one_of

#: Formats of a coloured graph: unitigs, unitigs with links, unitig by sample matrix, k-mers, index
COLOR_FORMATS = ("fasta", "gfa", "tsv", "kmers", "dbgc")
#: Cells of the unitig by sample matrix
MATRIX_VALUES = ("fraction", "count")
#: All formats of unitigs, and the index, in files of their own
ALL_FORMATS = "directory"


@dataclass(frozen=True, kw_only=True)
class ColorOutputOptions(Checked):
    """How a coloured graph is written."""

    file_format: str = "fasta"
    values: str = "fraction"
    split_by_color: bool = False

    checks: ClassVar[Sequence[Check]] = (
        one_of("file_format", (*COLOR_FORMATS, ALL_FORMATS)),
        one_of("values", MATRIX_VALUES),
    )


@dataclass(frozen=True, kw_only=True)
class ColorPredicate(Checked):
    """Condition on the samples that hold a k-mer."""

    any_of: tuple[str, ...] = ()
    all_of: tuple[str, ...] = ()
    none_of: tuple[str, ...] = ()
    min_samples: int | None = None
    max_samples: int | None = None

    checks: ClassVar[Sequence[Check]] = (
        at_least("min_samples", 1),
        at_least("max_samples", 1),
        ensure(
            lambda given: bool(given.any_of or given.all_of or given.none_of or given.min_samples or given.max_samples),
            lambda given: "no condition is given",
            "give --any-of, --all-of, --none-of, --min-samples or --max-samples",
            UsageError,
        ),
        ensure(
            lambda given: (
                given.min_samples is None or given.max_samples is None or given.min_samples <= given.max_samples
            ),
            lambda given: f"--min-samples {given.min_samples} is above --max-samples {given.max_samples}",
            "give a --max-samples of at least --min-samples",
            UsageError,
        ),
    )


def number_samples(chosen: Sequence[str], names: Sequence[str], option: str) -> list[int]:
    """Return the numbers of chosen samples, each once, ascending.

    A value is a name, or names separated by commas.

    Raises
    ------
    ParameterError
        If there is no such sample.
    """
    numbers = {name: i for i, name in enumerate(names)}
    found = set()
    for value in chosen:
        for name in [value] if value in numbers else value.split(","):
            if name not in numbers:
                raise ParameterError(
                    f"{option}: there is no sample {name!r} among {len(names)}", "dbg color samples INDEX lists them"
                )
            found.add(numbers[name])
    return sorted(found)
