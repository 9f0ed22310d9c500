"""Versions of installed packages."""

from __future__ import annotations

import os
import platform
import sys
from importlib import metadata

from debruijn_gpu.run.versions import system_name, version_of


def test_versions_are_those_of_the_standard_library():
    for name in ("numpy", "numba", "click", "llvmlite"):
        assert version_of(name) == metadata.version(name)


def test_spelling_of_a_name_does_not_matter(tmp_path, monkeypatch):
    (tmp_path / "Some_Package-1.2.3.dist-info").mkdir()
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert version_of("some-package") == version_of("SOME.package") == "1.2.3"
    assert version_of("another") is None


def test_packages_in_other_forms_are_found(tmp_path, monkeypatch):
    egg = tmp_path / "older.egg-info"
    egg.mkdir()
    (egg / "PKG-INFO").write_text("Metadata-Version: 1.0\nName: older\nVersion: 0.1\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert version_of("older") == "0.1"


def test_packages_in_other_forms_cost_nothing_where_another_is_asked_for(tmp_path, monkeypatch):
    (tmp_path / "older.egg-info").mkdir()
    (tmp_path / "oldest-0.1-py3.11.egg").mkdir()
    (tmp_path / "new-2.0.dist-info").mkdir()
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    asked = []
    monkeypatch.setattr(metadata, "version", asked.append)
    assert (version_of("new"), version_of("absent")) == ("2.0", None)
    assert not asked
    version_of("oldest")
    assert asked == ["oldest"]


def test_system_name_is_that_of_the_standard_library():
    name = f"{platform.system()}-{platform.release()}-{platform.machine()}"
    library = "".join(platform.libc_ver())
    assert system_name() == (f"{name}-with-{library}" if library else name)


def test_system_name_without_a_known_c_library(monkeypatch):
    monkeypatch.delattr(os, "confstr")
    assert system_name() == "-".join((os.uname().sysname, os.uname().release, os.uname().machine))
