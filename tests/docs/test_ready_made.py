"""The files in `docs/ready-made/` are well-formed, fit the package, and their commands run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest
import yaml
from jinja2 import Environment

from debruijn_gpu import __version__
from tests.docs import running
from tests.docs.pages import ROOT

PLACE = ROOT / "docs" / "ready-made"
NAMES_IN_CONDA = {"graphviz": "python-graphviz"}
INSTRUCTIONS = {"FROM", "RUN", "COPY", "ENV", "WORKDIR", "ENTRYPOINT"}
READS = [str(ROOT / "data" / f"phix174_R{mate}.fastq.gz") for mate in (1, 2)]
DOCKERFILES = ["Dockerfile", "Dockerfile.cuda"]


@pytest.fixture
def shell(tmp_path):
    """A function that runs a script of the shell with `dbg` on the path, in a directory of its own."""
    running.prepare(tmp_path, f'"{sys.executable}" -m debruijn_gpu')
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"

    def run(script: str, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": path, **variables}
        command = ["bash", "-euo", "pipefail", "-c", script]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done

    return run


def recipe() -> dict:
    template = Environment().from_string((PLACE / "bioconda" / "meta.yaml").read_text())
    return yaml.safe_load(template.render(PYTHON="python", pin_subpackage=lambda name, **_: name))


def test_every_yaml_file_parses():
    paths = [*PLACE.rglob("*.yml"), *PLACE.rglob("*.yaml")]
    assert len(paths) == 5
    for path in paths:
        if path.parent.name != "bioconda":
            assert isinstance(yaml.safe_load(path.read_text()), dict)


def test_versions_are_those_of_the_package():
    assert recipe()["package"] == {"name": "debruijn_gpu", "version": __version__}
    for path in (PLACE / "nf-core/dbg/assemble/environment.yml", PLACE / "snakemake/assemble/environment.yaml"):
        assert path.read_text().rstrip().endswith(f"={__version__}")


def test_recipe_has_the_dependencies_of_the_package():
    text = (ROOT / "pyproject.toml").read_text()
    wanted = re.findall(r'^    "(.+)",$', text[text.index("\ndependencies") :].partition("]")[0], re.MULTILINE)
    names = {re.split(r"[<>=;]", each)[0] for each in wanted}
    run = {line.split()[0] for line in recipe()["requirements"]["run"]}
    assert {NAMES_IN_CONDA.get(name, name) for name in names} == run - {"python", "graphviz"}
    assert 'requires-python = ">=3.10"' in text
    assert "python >=3.10" in recipe()["requirements"]["host"]


@pytest.mark.process
def test_commands_of_the_recipe_run(shell):
    found = recipe()
    for name in found["test"]["imports"]:
        __import__(name)
    for command in found["test"]["commands"]:
        assert shell(command).stdout
    (entry,) = found["build"]["entry_points"]
    assert entry.partition(" = ")[2] in (ROOT / "pyproject.toml").read_text()


def instructions(name: str) -> list[tuple[str, str]]:
    """Instruction and arguments of each line of a Dockerfile, continued lines joined."""
    lines = [line for line in (PLACE / "docker" / name).read_text().splitlines() if not line.startswith("#")]
    whole = "\n".join(lines).replace("\\\n", " ")
    return [tuple(line.split(maxsplit=1)) for line in whole.splitlines() if line.strip()]


@pytest.mark.process
@pytest.mark.parametrize("name", DOCKERFILES)
def test_dockerfiles_are_well_formed(name):
    found = instructions(name)
    assert {instruction for instruction, _ in found} <= INSTRUCTIONS
    assert (found[0][0], found[-1]) == ("FROM", ("ENTRYPOINT", '["dbg"]'))
    for instruction, arguments in found:
        if instruction == "RUN":
            subprocess.run(["bash", "-n", "-c", arguments], check=True)
        if instruction == "COPY":
            assert arguments in (". /source", "--from=build /opt/dbg /opt/dbg")


@pytest.mark.process
def test_loop_of_the_dockerfile_compiles_for_each_level(shell, tmp_path):
    """For one command, as all of them take minutes; without the self-test, which has tests of its own."""
    (script,) = [arguments for instruction, arguments in instructions("Dockerfile") if "warmup" in arguments]
    script = script.partition("&& dbg doctor")[0].replace("/opt/dbg-cache", str(tmp_path / "cache"))
    shell(script.replace("dbg warmup", "dbg warmup lookandsay"), DBG_CACHE_DIR=str(tmp_path / "cache"))
    made = [path for path in (tmp_path / "cache").rglob("*") if not path.is_dir()]
    assert len(made) >= 3
    assert {path.stat().st_mode & 0o044 for path in made} == {0o044}
    assert {path.stat().st_mode & 0o022 for path in (tmp_path / "cache").rglob("*")} == {0}


def test_targets_of_the_dockerfile_are_those_that_wheels_know():
    makefile = (ROOT / "Makefile").read_text()
    text = (PLACE / "docker" / "Dockerfile.cuda").read_text()
    assert re.search(r"make wheel CUDA=cuda13 TARGETS='[\w -]+ sm_80 sm_90'", text)
    assert "wheel:" in makefile
    assert "CUDA ?= cuda13" in makefile


MODULE = PLACE / "nf-core" / "dbg" / "assemble"


def blocks() -> tuple[str, str]:
    """The texts of script and stub, as Nextflow passes them to the shell but for variables."""
    script, stub = re.findall(r'"""\n(.*?)\n    """', (MODULE / "main.nf").read_text(), re.DOTALL)
    return tuple(text.replace("\\\\", "\\").replace("    ", "", 1).replace("\n    ", "\n") for text in (script, stub))


def filled(text: str, values: dict[str, str]) -> str:
    """Replace the variables of Groovy, and those that are escaped by what the shell is to see."""
    text = re.sub(r"(?<!\\)\$\{([^}]+)\}", lambda found: values[found[1]], text)
    return text.replace("\\$", "$")


def outputs() -> list[str]:
    """Names of declared outputs that are not optional."""
    text = (MODULE / "main.nf").read_text().partition("output:")[2].partition("when:")[0]
    required = [line for line in text.splitlines() if "path" in line and "optional: true" not in line]
    return [re.search(r'path\(?\s?"([^"]+)"', line)[1].replace("${prefix}", "sample") for line in required]


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["single", "paired", "stub"])
def test_module_writes_its_outputs(shell, tmp_path, kind):
    values = {
        "prefix": "sample",
        "input": f"--single {READS[0]}" if kind == "single" else f"-1 {READS[0]} -2 {READS[1]}",
        "task.cpus": "2",
        "task.memory.toMega()": "1024",
        "args": "-k 31",
        "task.process": "DBG_ASSEMBLE",
    }
    shell(filled(blocks()[kind == "stub"], values))
    assert [name for name in outputs() if not list(tmp_path.glob(name))] == []
    assert (tmp_path / "sample" / "scaffolds.fasta").exists() == (kind == "paired")
    assert yaml.safe_load((tmp_path / "versions.yml").read_text()) == {"DBG_ASSEMBLE": {"dbg": __version__}}


def test_meta_of_the_module_names_its_outputs():
    meta = yaml.safe_load((MODULE / "meta.yml").read_text())
    emitted = re.findall(r"emit: (\w+)", (MODULE / "main.nf").read_text())
    assert [next(iter(one)) for one in meta["output"]] == emitted


class _Words(dict):
    """Named values of a job, as Snakemake gives them."""


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize("n_files", [1, 2, 3])
def test_wrapper_of_snakemake(shell, tmp_path, monkeypatch, n_files):
    """With a stand-in for Snakemake, whose ``:q`` quotes a value for the shell."""
    outdir, log = tmp_path / "out put", tmp_path / "log"
    outdir.mkdir()
    job = types.SimpleNamespace(
        input=_Words(reads=READS[0] if n_files == 1 else [*READS, "third"][:n_files]),
        output=_Words(outdir=str(outdir)),
        params=_Words(extra="-k 31"),
        resources=_Words(mem_mb=1000),
        threads=2,
        log_fmt_shell=lambda stdout, stderr: f"> '{log}' 2>&1",
    )
    names = {"snakemake": job}

    def run(command: str) -> None:
        command = re.sub(r"\{([^}:]+)(:q)?\}", lambda m: quoted(eval(m[1], names), m[2]), command)
        shell(command)

    module = types.ModuleType("snakemake.shell")
    module.shell = run
    monkeypatch.setitem(sys.modules, "snakemake", types.ModuleType("snakemake"))
    monkeypatch.setitem(sys.modules, "snakemake.shell", module)
    program = compile((PLACE / "snakemake" / "assemble" / "wrapper.py").read_text(), "wrapper.py", "exec")
    if n_files == 3:
        with pytest.raises(ValueError, match="got 3"):
            exec(program, names)
        return
    exec(program, names)
    assert (outdir / "contigs.fasta").read_bytes().startswith(b">contig_1 ")
    assert "results are in" in log.read_text()


def quoted(value: object, is_quoted: str | None) -> str:
    text = str(value)
    return f"'{text}'" if is_quoted else text


def test_page_lists_every_file():
    page = (ROOT / "docs" / "how-to" / "pipelines.md").read_text()
    listed = re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE)
    files = [path.relative_to(PLACE).as_posix() for path in PLACE.rglob("*") if path.is_file()]
    assert [name for name in files if not name.startswith(tuple(listed))] == []
    assert [name for name in listed if not (PLACE / name).exists()] == []
    assert Path(PLACE / "snakemake/assemble/Snakefile").read_text().startswith("rule dbg_assemble:")
