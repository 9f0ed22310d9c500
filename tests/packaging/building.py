"""Build source distributions and wheels, in fresh directories, with the setuptools of this environment or a later one.

A wheel is built from a source distribution: what is missing there is missed at once, and nothing that is left in a
checkout gets into it.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
_TOP = (
    ".ci", ".gitignore", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "data",
    "debruijn_gpu", "docs", "mkdocs.yml", "pyproject.toml", "setup.py", "tests",
)  # fmt: skip
_SETUPTOOLS = "setuptools>=77"  # as in pyproject.toml
_BUILD = "import sys; from setuptools import build_meta; getattr(build_meta, sys.argv[1])(sys.argv[2])"
#: Of all files in a wheel, unless SOURCE_DATE_EPOCH says otherwise: the first day that a ZIP archive knows
_EPOCH = "315532800"


def build_sdist(directory: Path, scratch: Path) -> Path:
    """Write a source distribution of this checkout; return its path."""
    source = scratch / "checkout"
    source.mkdir()
    for name in _TOP:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.py[cod]", "installed")
            shutil.copytree(ROOT / name, source / name, ignore=ignored)
        else:
            shutil.copy2(ROOT / name, source / name)
    return _build("build_sdist", source, directory, scratch, {})


def unpack(sdist: Path, directory: Path) -> Path:
    """Unpack a source distribution; return its top directory."""
    with tarfile.open(sdist) as archive:
        archive.extractall(directory, filter="data")
    (top,) = directory.iterdir()
    return top


def build_wheel(source: Path, kernels: Path | None, directory: Path, scratch: Path) -> Path:
    """Write a wheel of unpacked sources, with the machine code in a directory; return its path."""
    variables = {"DBG_WHEEL_KERNELS": str(kernels.resolve()) if kernels else ""}
    shutil.rmtree(source / "build", ignore_errors=True)
    return _build("build_wheel", source, directory, scratch, variables)


def _build(hook: str, source: Path, directory: Path, scratch: Path, variables: dict[str, str]) -> Path:
    """Call a hook of the build backend (PEP 517) in a process of its own."""
    out = scratch / f"{hook}-out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    environment = os.environ | {"PYTHONPATH": _setuptools(scratch)} | variables
    environment.setdefault("SOURCE_DATE_EPOCH", _EPOCH)
    done = subprocess.run(
        [sys.executable, "-c", _BUILD, hook, str(out)],
        cwd=source, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{hook} failed:\n{done.stdout}{done.stderr}")
    (made,) = out.iterdir()
    directory.mkdir(exist_ok=True)
    return Path(shutil.move(made, directory / made.name))


def _setuptools(scratch: Path) -> str:
    """Directory of setuptools for PYTHONPATH: empty if this environment's has what setup.py needs, else installed."""
    if importlib.util.find_spec("setuptools.command.bdist_wheel"):
        return ""
    place = scratch / "setuptools"
    if not place.exists():
        pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--target", str(place)]
        subprocess.run([*pip, _SETUPTOOLS], check=True)
    return str(place)
