"""Check source distributions and wheels before anybody installs them."""

from __future__ import annotations

import email
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from debruijn_gpu.backends.core import kernel_names, kernel_store
from debruijn_gpu.backends.core.build import backend_of, rows_of
from debruijn_gpu.backends.core.cache_place import unsealed
from debruijn_gpu.backends.core.cpu.compiler import ALLOWED
from debruijn_gpu.backends.core.cuda.store import unpacked
from tests.packaging.building import ROOT
from tests.packaging.elf import undefined_symbols

MOST_BYTES = 60_000_000
_CORE = "debruijn_gpu/backends/core"
_INSTALLED = f"{_CORE}/installed/"
_NEEDED = (
    "debruijn_gpu/py.typed",
    f"{_CORE}/kernels.tsv",
    f"{_CORE}/cpu/runtime.ll",
    "debruijn_gpu/reports/templates/page.html",
)
#: Of symbols in cubins that the driver defines, as those for its part of shared memory
_OF_DRIVER = ".nv."
_FIELDS = ("Name", "Version", "Summary", "Requires-Python", "License-Expression", "Author", "Description", "Keywords")
_LINKS = {"Homepage", "Documentation", "Source", "Issues", "Changelog"}
_PYTHONS = {f"3.{minor}" for minor in range(10, 15)}


def problems_of_wheel(path: Path) -> Iterator[str]:
    """Yield what is wrong with a wheel, whichever of the kernels it has."""
    if path.stat().st_size > MOST_BYTES:
        yield f"{path.stat().st_size:,} bytes are more than {MOST_BYTES:,}"
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    (info,) = {name.partition("/")[0] for name in contents if ".dist-info/" in name}
    strangers = {name for name in contents if not name.startswith(("debruijn_gpu/", f"{info}/"))}
    yield from (f"{name} is not of the package" for name in sorted(strangers))
    yield from (f"{name} is missing" for name in _NEEDED if name not in contents)
    yield from problems_of_metadata(contents[f"{info}/METADATA"].decode())
    yield from problems_of_paths(contents)
    targets = [name.removeprefix(_INSTALLED) for name in contents if name.startswith(_INSTALLED)]
    if bool(targets) != (b"Root-Is-Purelib: false" in contents[f"{info}/WHEEL"]):
        yield f"machine code for {targets} in a wheel for the wrong systems"
    for target in targets:
        for name, code in kernels_in(contents[_INSTALLED + target]).items():
            yield from (f"{name} for {target} {problem}" for problem in problems_of_kernel(target, code))


def problems_of_sdist(path: Path) -> Iterator[str]:
    """Yield what is wrong with a source distribution."""
    with tarfile.open(path) as archive:
        members = [member for member in archive.getmembers() if member.isfile()]
        contents = {member.name.partition("/")[2]: archive.extractfile(member).read() for member in members}
    yield from (f"{name} is missing" for name in _NEEDED if name not in contents)
    yield from (f"{name} is machine code" for name in contents if name.startswith(_INSTALLED))
    yield from problems_of_metadata(contents["PKG-INFO"].decode())
    yield from problems_of_paths(contents)


def problems_of_metadata(text: str) -> Iterator[str]:
    """Yield what is missing in the metadata of a distribution."""
    message = email.message_from_string(text)
    message["Description"] = message.get_payload()
    yield from (f"{field} is missing in the metadata" for field in _FIELDS if not message.get(field))
    links = {link.partition(",")[0] for link in message.get_all("Project-URL", [])}
    yield from (f"{name} is no project URL" for name in sorted(_LINKS - links))
    classifiers = message.get_all("Classifier", [])
    pythons = {classifier.rpartition(" :: ")[2] for classifier in classifiers}
    yield from (f"Python {version} is no classifier" for version in sorted(_PYTHONS - pythons))
    if "Operating System :: POSIX :: Linux" not in classifiers:
        yield "Linux is no classifier"


def problems_of_paths(contents: dict[str, bytes]) -> Iterator[str]:
    """Yield the files in which a directory of this machine is named."""
    own = {f"{directory}/".encode() for directory in (ROOT, Path(sys.prefix), Path(sys.prefix).resolve())}
    for name, content in contents.items():
        yield from (f"{name} names the directory {path.decode()}" for path in sorted(own) if path in content)


def problems_of_kernel(target: str, code: bytes) -> Iterator[str]:
    """Yield what is wrong with the machine code of a kernel, as the store keeps it."""
    on_gpu = backend_of(target) == "cuda"
    code = unpacked(code).code if on_gpu else code.partition(b"\n")[2]
    foreign = {name for name in undefined_symbols(code) if not name.startswith(_OF_DRIVER)}
    foreign -= frozenset() if on_gpu else ALLOWED
    if foreign:
        yield f"needs {', '.join(sorted(foreign))}"


def kernels_in(packed: bytes) -> dict[str, bytes]:
    """Machine code by name in the content of a file for one target.

    Raises
    ------
    ValueError
        If it is damaged.
    """
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "target")
        path.write_bytes(packed)
        found = {name: unsealed(content) for name, content in kernel_store._Installed(path).items()}
    if not found or None in found.values():
        raise ValueError("a file of machine code is damaged")
    return {name: code for name, code in found.items() if code is not None}


def missing_kernels(path: Path, targets: Iterable[str]) -> Iterator[str]:
    """Yield the kernels of the manifest that a wheel lacks for some targets."""
    with zipfile.ZipFile(path) as archive:
        for target in targets:
            there = kernels_in(archive.read(_INSTALLED + target))
            for row in rows_of(target):
                name = kernel_store.name_of(kernel_names.find(row.module, row.path), row.signature)
                if name not in there:
                    yield f"{row.module}: {row.path}({row.signature}) is missing for {target}"
