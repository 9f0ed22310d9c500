"""A wheel runs the commands of the README without compiling, and gives what the checkout gives."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from debruijn_gpu.backends.core import build, manifest
from debruijn_gpu.backends.core.cpu import levels
from tests.docs import running
from tests.docs.pages import parts
from tests.packaging import building, checking

pytestmark = [pytest.mark.slow, pytest.mark.process]

PARTS = {title: examples for title, examples in parts().items() if title.startswith("README.md")}
#: Files that name times or paths, as CONTRIBUTING.md says
_OF_A_RUN = ("dbg.log", "run.json", "report.html", "compared.html")
_TEMPLATES = "templates"  # of pages, which are kept beside kernels
#: Notes and refuses imports of numba, in all processes of an environment
_REFUSAL = """
import importlib.machinery, os, sys

class Refusal:
    def find_spec(self, name, path=None, target=None):
        if name == "numba":
            return importlib.machinery.ModuleSpec(name, self)

    def create_module(self, spec):
        with open({file!r}, "a") as stream:
            print(sys.orig_argv, file=stream)
        raise ImportError("this environment is for compiled kernels")

    def exec_module(self, module):
        pass

sys.meta_path.insert(0, Refusal())
"""


class Installed:
    """A wheel in an environment of its own, which finds the libraries of this one but not the checkout."""

    def __init__(self, wheel: Path, directory: Path) -> None:
        self.python = str(directory / "bin" / "python")
        self.numba_imports = directory / "numba-imports"
        self.store = directory / "store"
        venv.create(directory, symlinks=True)
        (directory / "store").mkdir(mode=0o700)
        arguments = ["--no-deps", "--no-index", "--quiet", "--disable-pip-version-check", str(wheel)]
        subprocess.run([sys.executable, "-m", "pip", "--python", self.python, "install", *arguments], check=True)
        packages = next(directory.glob("lib*/python*/site-packages"))
        # as a path in a file: .pth files in that directory, as of editable packages, do not count
        (packages / "libraries.pth").write_text("".join(f"{path}\n" for path in _libraries()))
        (packages / "sitecustomize.py").write_text(_REFUSAL.format(file=str(self.numba_imports)))
        keep = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "DBG_", "NUMBA"))}
        self.environment = keep | {"DBG_CACHE_DIR": str(self.store)}

    def output(self, *arguments: str, fails: bool = False) -> str:
        """Run Python; return its standard output."""
        command, place = [self.python, *arguments], Path(self.python).parent
        done = subprocess.run(command, env=self.environment, cwd=place, capture_output=True, text=True, check=False)
        assert bool(done.returncode) == fails, done.stderr
        return done.stdout

    def compiled(self) -> list[str]:
        """What shows that kernels were compiled."""
        imports = self.numba_imports.read_text().splitlines() if self.numba_imports.exists() else []
        kept = (path for path in self.store.rglob("*") if path.is_file() and path.parent.name != _TEMPLATES)
        return [*imports, *map(str, kept)]


def _libraries() -> set[str]:
    return {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}


@pytest.fixture
def make_wheel(tmp_path):
    """A function that builds a wheel with some rows of the manifest, for this processor's level."""
    scratch = tmp_path / "packaging"
    scratch.mkdir()
    source = building.unpack(building.build_sdist(scratch, scratch), scratch / "source")

    def make(rows, name="wheel"):
        build.build(levels.level(), scratch / name / "kernels", rows)
        return building.build_wheel(source, scratch / name / "kernels", scratch / name, scratch)

    return make


def _noting(file):
    """A program that runs a command of the checkout and notes its kernels in a file, and its environment."""
    environment = os.environ | {"PYTHONPATH": str(building.ROOT), "DBG_TEST_KERNELS": str(file)}
    return [sys.executable, "-m", "tests.kernels.record", "run"], environment


def _rows_noted(file):
    """The rows of the manifest for the kernels noted in a file."""
    used = set(file.read_text().splitlines())
    return [row for row in manifest.read() if "\t".join((row.backend, row.module, row.path, row.signature)) in used]


def _run_readme(place, program, python, environment):
    """Run all examples of the README; return standard outputs by script, and the bytes of files by path."""
    outputs = {}
    for number, examples in enumerate(PARTS.values()):
        section = place / str(number)
        section.mkdir(parents=True)
        running.prepare(section, shlex.join(program))
        for example in examples:
            done = running.run(example, section, python, environment)
            assert done.returncode == 0, example.script + done.stderr
            assert example.output in (None, done.stdout), example.script
            if "dbg bench" not in example.script:  # which prints times
                outputs[example.script] = done.stdout
            outputs["log"] = outputs.get("log", "") + done.stderr
    found = (path for path in place.rglob("*") if path.is_file() and path.name not in _OF_A_RUN)
    files = {path.relative_to(place): path.read_bytes() for path in found if path.parent.name not in ("bin", "data")}
    return outputs.pop("log"), {**outputs, **files}


def test_readme_runs_from_a_wheel_without_compiling_as_from_the_checkout(tmp_path, make_wheel):
    """The wheel has those kernels of the manifest that the README uses: others need not be compiled for this."""
    program, environment = _noting(tmp_path / "used.tsv")
    _, expected = _run_readme(tmp_path / "checkout", program, sys.executable, environment)
    wheel = make_wheel(_rows_noted(tmp_path / "used.tsv"))
    assert list(checking.problems_of_wheel(wheel)) == []
    installed = Installed(wheel, tmp_path / "environment")
    assert installed.output("-c", "import debruijn_gpu; print(debruijn_gpu.__file__)").startswith(str(tmp_path))

    program = [str(Path(installed.python).with_name("dbg"))]
    log, found = _run_readme(tmp_path / "wheel", program, installed.python, installed.environment)
    assert installed.compiled() == []
    assert "compiling" not in log
    assert [name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name)] == []


def test_kernel_that_a_wheel_lacks_is_noticed(tmp_path, make_wheel):
    command = ["lookandsay", "1", "-n", "5"]
    program, environment = _noting(tmp_path / "used.tsv")
    subprocess.run([*program, *command], env=environment, cwd=tmp_path, check=True)
    rows = _rows_noted(tmp_path / "used.tsv")
    for n_lacking, name in enumerate(("whole", "lacking")):
        installed = Installed(make_wheel(rows[n_lacking:], name), tmp_path / name)
        installed.output("-m", "debruijn_gpu", *command, fails=bool(n_lacking))
        assert bool(installed.compiled()) == bool(n_lacking)


def test_same_kernels_give_the_same_bytes(tmp_path, make_wheel):
    rows = manifest.for_scenario(manifest.read(), "lookandsay", "cpu")[:1]
    first, second = (make_wheel(rows, name) for name in ("first", "second"))
    assert first.read_bytes() == second.read_bytes()
