"""Name the system, and find versions of installed packages by the names of their directories, within a millisecond.

`importlib.metadata` takes 20 ms to import.
"""

from __future__ import annotations

import functools
import os
import re
import sys
from dataclasses import dataclass

_ENDING = ".dist-info"
_OTHER_FORMS = (".egg-info", ".egg", ".egg-link", ".zip", ".whl")  # which only importlib.metadata reads


def version_of(package: str) -> str | None:
    """Return the version of an installed package; None if it is not installed."""
    found = _installed(tuple(sys.path))
    version = found.versions.get(_normal(package))
    if version is not None or not (found.has_archives or _normal(package) in found.in_other_forms):
        return version
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


@dataclass(frozen=True)
class _Installed:
    """Packages by normal name: versions of those in the usual form, names of others, and whether there are archives,
    which may hold any."""

    versions: dict[str, str]
    in_other_forms: set[str]
    has_archives: bool


@functools.cache
def _installed(path: tuple[str, ...]) -> _Installed:
    versions: dict[str, str] = {}
    others: set[str] = set()
    has_archives = False
    for directory in path:
        try:
            names = os.listdir(directory or ".")
        except OSError:
            has_archives |= os.path.isfile(directory)
            continue
        for name in names:
            if name.endswith(_ENDING):
                package, _, version = name.removesuffix(_ENDING).rpartition("-")
                versions.setdefault(_normal(package), version)
            elif name.endswith(_OTHER_FORMS):
                others.add(_normal(name.rpartition(".")[0].partition("-")[0]))
    return _Installed(versions, others, has_archives)


def _normal(package: str) -> str:
    """Write a name so that all its spellings are equal."""
    return re.sub("[-_.]+", "-", package).lower()


def system_name() -> str:
    """Return the name, release and C library of the operating system, as `platform.platform` does.

    That starts a process to name the processor too, which takes 20 ms.
    """
    system = os.uname()
    name = f"{system.sysname}-{system.release}-{system.machine}"
    try:
        library = os.confstr("CS_GNU_LIBC_VERSION")
    except (AttributeError, OSError, ValueError):  # another C library
        library = None
    return f"{name}-with-{library.replace(' ', '')}" if library else name
