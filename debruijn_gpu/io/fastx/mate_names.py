"""Detect first and second mates by the names of reads."""

from __future__ import annotations

import re

from debruijn_gpu.io.opening import display_name
from debruijn_gpu.run import log
from debruijn_gpu.run.plain_text import shorten

#: ``/1`` at the end of the name, or as Casava 1.8 and later write it: ``name 1:N:0:ATCACG``
_MATE = re.compile(r"\S*/([12])(?:\s|$)|\S+\s([12]):[YN]:[0-9]+(?:\D|$)")

_MATES = ("first", "second")
_SHOWN = 60  # characters of a header


def mate_number(header: str) -> int | None:
    """0 for a first mate, 1 for a second one, None if the name does not show it."""
    found = _MATE.match(header)
    return int(found[1] or found[2]) - 1 if found else None


def warn_of_exchanged(path: str, header: str, mate: int) -> None:
    """Warn if the first read of a file of first (0) or second mates (1) is named as one of the others."""
    if mate_number(header) == 1 - mate:
        log.logger.warning(
            "%s: given as %s mates (-%d), but the first read is named as a %s one (%s): are -1 and -2 exchanged?",
            display_name(path),
            _MATES[mate],
            mate + 1,
            _MATES[1 - mate],
            shorten(header, _SHOWN),
        )


def warn_of_turns(path: str, header: str) -> None:
    """Warn if the first read of an interleaved file is named as a second mate."""
    if mate_number(header) == 1:
        log.logger.warning(
            "%s: the first read is named as a second mate (%s): first and second mates should take turns",
            display_name(path),
            shorten(header, _SHOWN),
        )
