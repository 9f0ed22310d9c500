"""Compiled code where the place for it cannot be written. Files stand in for read-only directories: root may all."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from debruijn_gpu.backends.core import cache_place
from debruijn_gpu.version import __version__

COMPILE_ONE_KERNEL = """
import numpy as np
from debruijn_gpu.backends.core import kernel_store
from debruijn_gpu.backends.cpu import CPU
print(kernel_store.place().path)
print(CPU.sequences.smallest_rotation(np.array([2, 0, 1], np.uint8)))
"""


@pytest.fixture
def places(tmp_path, monkeypatch):
    """A home and a temporary directory of one's own."""
    for name in cache_place.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "home").mkdir()
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    return tmp_path


def own_directory(places: Path) -> Path:
    return places / "tmp" / f"debruijn_gpu-{os.getuid()}"


def test_the_place_is_in_the_home_directory(places):
    place = cache_place.find_place()
    assert place.path == place.wanted == places / "home/.cache/debruijn_gpu" / f"kernels-{__version__}"
    assert place.path.is_dir()
    assert not place.problem
    assert not own_directory(places).exists()


def test_the_first_variable_that_is_set_counts(places, monkeypatch):
    for name in reversed(cache_place.VARIABLES):
        monkeypatch.setenv(name, str(places / name))
        assert cache_place.find_place().path.parent == places / name / "debruijn_gpu"


@pytest.mark.parametrize("home", ["/proc/nobody", "/dev/null", "{places}/file"])
def test_a_home_that_cannot_be_written_gives_a_temporary_place(places, monkeypatch, home):
    (places / "file").touch()
    monkeypatch.setenv("HOME", home.format(places=places))
    place = cache_place.find_place()
    assert place.path == own_directory(places) / f"kernels-{__version__}"
    assert place.problem
    assert cache_place.find_place().path == place.path  # the next run finds what this one compiles
    assert own_directory(places).stat().st_mode & 0o777 == 0o700


def test_a_filled_place_need_not_be_writable(places, monkeypatch):
    filled = cache_place.find_place().path / "x86-64"
    filled.mkdir()
    (filled / "kernel").touch()
    monkeypatch.setattr(cache_place, "_write_problem", lambda directory: "Read-only file system")
    place = cache_place.find_place()
    assert place.path == filled.parent
    assert not place.problem


def test_the_place_is_that_of_this_version(places, monkeypatch):
    assert cache_place.find_place().path == cache_place.version_directory()
    monkeypatch.setattr(cache_place, "__version__", "99.0")
    assert cache_place.find_place().path == places / "home/.cache/debruijn_gpu/kernels-99.0"


def test_no_home_at_all(places, monkeypatch):
    def no_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(cache_place.Path, "home", no_home)
    place = cache_place.find_place()
    assert place.wanted is None
    assert place.path.parent == own_directory(places)


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702, 0o1777])
def test_a_place_that_others_may_write_is_refused(places, mode):
    wanted = cache_place.find_place().path
    (wanted / "kernel").touch()
    wanted.chmod(mode)
    place = cache_place.find_place()
    assert place.path == own_directory(places) / wanted.name
    assert "others can write" in place.problem


def test_a_place_of_another_user_is_refused(places, monkeypatch):
    wanted = cache_place.find_place().path
    (wanted / "kernel").touch()
    monkeypatch.setattr(os, "geteuid", lambda: 54321)
    place = cache_place.find_place()
    if os.getuid() == 0:  # what root has made is trusted
        assert place.path == wanted
        os.chown(wanted, 12345, -1)
        place = cache_place.find_place()
        assert "owned by user 12345" in place.problem
    assert place.path is None or place.path != wanted


@pytest.mark.parametrize("umask", [0, 0o002, 0o022])
def test_a_new_place_is_this_users_alone_whatever_the_umask(places, umask):
    old = os.umask(umask)
    try:
        place = cache_place.find_place()
    finally:
        os.umask(old)
    assert not place.problem
    assert place.path.stat().st_mode & 0o777 == 0o700


def test_a_seal_finds_damage():
    content = bytes(range(100))
    packed = cache_place.sealed(content)
    assert cache_place.unsealed(packed) == content
    for damaged in (b"", packed[:-1], packed[:4], bytes(len(packed)), packed[:50] + b"\xff" + packed[51:]):
        assert cache_place.unsealed(damaged) is None


def test_a_temporary_place_that_others_may_write_is_refused(places, monkeypatch):
    monkeypatch.setenv("HOME", "/proc/nobody")
    own_directory(places).mkdir()
    own_directory(places).chmod(0o777)
    assert cache_place.find_place().path is None


def test_a_link_in_the_temporary_place_is_refused(places, monkeypatch):
    monkeypatch.setenv("HOME", "/proc/nobody")
    own_directory(places).symlink_to(places / "home")
    assert cache_place.find_place().path is None


def test_a_full_disk_gives_what_is_there(places, monkeypatch):
    def fail(dir):  # noqa: A002 - as tempfile names it
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    wanted = cache_place.find_place().wanted
    monkeypatch.setattr(tempfile, "TemporaryFile", fail)
    assert cache_place.find_place().path is None
    (wanted / "kernel").write_bytes(b"compiled")
    place = cache_place.find_place()
    assert (place.path, place.problem) == (wanted, "")


@pytest.mark.process
@pytest.mark.parametrize("temporary", ["tmp", "file"])
def test_kernels_compile_without_a_home(places, temporary):
    (places / "file").touch()
    code = f"import tempfile; tempfile.tempdir = {str(places / temporary)!r}\n{COMPILE_ONE_KERNEL}"
    environment = {name: text for name, text in os.environ.items() if name not in cache_place.VARIABLES}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**environment, "HOME": "/proc/nobody"},
        capture_output=True,
        text=True,
        check=True,
    )
    path, rotation = done.stdout.splitlines()
    assert rotation == "1"
    assert "Set DBG_CACHE_DIR" in done.stderr
    if temporary == "tmp":
        assert list(Path(path).rglob("smallest_rotation*"))
    else:
        assert path == "None"
