"""A source distribution has all that building and testing take, and a wheel without machine code runs anywhere."""

from __future__ import annotations

import subprocess
import tarfile

import pytest

from tests.packaging import building, checking

pytestmark = [pytest.mark.slow, pytest.mark.process]


def test_sdist_has_the_files_of_the_checkout(tmp_path):
    sdist = building.build_sdist(tmp_path, tmp_path)
    assert list(checking.problems_of_sdist(sdist)) == []
    with tarfile.open(sdist) as archive:
        names = {member.name.partition("/")[2] for member in archive if member.isfile()}
    git = ["git", "-C", str(building.ROOT), "ls-files"]
    tracked = subprocess.run(git, capture_output=True, text=True, check=False)
    if tracked.returncode:
        pytest.skip("no git, or no checkout")
    assert [name for name in tracked.stdout.splitlines() if name not in names] == []


def test_wheel_without_kernels_is_for_any_system(tmp_path):
    sdist = building.build_sdist(tmp_path, tmp_path)
    wheel = building.build_wheel(building.unpack(sdist, tmp_path / "source"), None, tmp_path, tmp_path)
    assert wheel.name.endswith("-py3-none-any.whl")
    assert list(checking.problems_of_wheel(wheel)) == []
