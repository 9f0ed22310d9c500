"""Commands on numbers write the same bytes on both backends."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.cli import main

pytestmark = pytest.mark.gpu

COMMANDS = {
    "sort": ["sort"],
    "sort descending": ["sort", "--reverse"],
    "sort unique": ["sort", "--unique"],
    "sort by two": ["sort", "--key", "2r,1"],
    "distinct": ["distinct"],
    "distinct with counts": ["distinct", "--count"],
    "distinct by two": ["distinct", "--key", "2,1", "--count"],
    "compact": ["compact", "--where", ">100"],
    "compact to positions": ["compact", "--where", "!=7", "--indices"],
    "histogram": ["histogram", "--bins", "17", "--range", "0,5000"],
    "histogram of integers": ["histogram", "--integers"],
}


@pytest.fixture(params=["i8", "u4", "f8"])
def source(request, tmp_path):
    """A .npy file of two columns; floats have NaN and zeros of both signs."""
    rng = np.random.default_rng(0)
    values = rng.integers(0, 3000, (1_000_000, 2)).astype(request.param)
    if request.param == "f8":
        values[rng.integers(0, len(values), 100)] = np.nan
        values[rng.integers(0, len(values), 100)] = -0.0
    path = tmp_path / "values.npy"
    np.save(path, values)
    return path


def run(arguments, output, backend):
    with pytest.raises(SystemExit) as caught:
        main([*map(str, arguments), "--backend", backend, "-o", str(output)])
    assert caught.value.code == 0
    return output.read_bytes()


@pytest.mark.parametrize("name", COMMANDS)
def test_same_bytes(name, source, tmp_path):
    if name == "histogram of integers" and np.load(source).dtype.kind == "f":
        arguments = ["histogram", "--bins", "5", source]
    else:
        arguments = [*COMMANDS[name], source]
    assert run(arguments, tmp_path / "cuda", "cuda") == run(arguments, tmp_path / "cpu", "cpu")


def test_same_bytes_of_join(source, tmp_path):
    keys = tmp_path / "keys.npy"
    np.save(keys, np.load(source)[::1000, 0])
    arguments = ["join", keys, source]
    assert run(arguments, tmp_path / "cuda", "cuda") == run(arguments, tmp_path / "cpu", "cpu")


def test_same_bytes_in_runs(tmp_path):
    path = tmp_path / "values.npy"
    np.save(path, np.random.default_rng(1).integers(0, 1 << 40, 20_000_000))
    for arguments in (["sort"], ["sort", "--reverse"], ["distinct"], ["distinct", "--count"]):
        in_runs = run([*arguments, path, "--gpu-memory", "200M"], tmp_path / "cuda", "cuda")
        assert in_runs == run([*arguments, path], tmp_path / "cpu", "cpu")
