"""Build wheels with compiled kernels, and source distributions with all that is needed to test them.

The rest is in pyproject.toml. `DBG_WHEEL_KERNELS` names a directory with a file of machine code for each target, as
`debruijn_gpu.backends.core.build` writes it; without it a wheel has no machine code and runs on any system.
"""

from __future__ import annotations

import os
import platform
import shutil
import sysconfig
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

KERNELS = os.environ.get("DBG_WHEEL_KERNELS", "")
_INSTALLED = "debruijn_gpu/backends/core/installed"
#: What a source distribution has besides the package; as in a MANIFEST.in, which would be one more file here
_SOURCES = f"""\
include .gitignore CHANGELOG.md CITATION.cff CONTRIBUTING.md Makefile mkdocs.yml
graft .ci
graft data
graft docs
graft tests
prune {_INSTALLED}
global-exclude *.py[cod]
"""


class WheelDistribution(Distribution):
    """A distribution whose wheel belongs into the directory of platform-specific packages if it has machine code."""

    def has_ext_modules(self) -> bool:
        """Whether the wheel has machine code."""
        return bool(KERNELS)


class BuildWithKernels(build_py):
    """Copy the package, then the compiled kernels; all files readable by everybody, whatever the umask."""

    def run(self) -> None:
        """Copy both to the build directory."""
        super().run()
        if self.editable_mode:
            return
        installed = Path(self.build_lib, _INSTALLED)
        shutil.rmtree(installed, ignore_errors=True)
        if KERNELS:
            shutil.copytree(KERNELS, installed)
        for path in Path(self.build_lib).rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)


class PlatformWheel(bdist_wheel):
    """Tag a wheel with machine code: any Python 3 on this system, because only kernels are compiled."""

    def get_tag(self) -> tuple[str, str, str]:
        """Return the tags of Python, its binary interface, and the platform."""
        return ("py3", "none", platform_tag()) if KERNELS else super().get_tag()


def platform_tag() -> str:
    """Tag of this system. Kernels call only what every C library has, so any Linux of the last decade will do."""
    if platform.system() == "Linux" and platform.machine() in ("x86_64", "aarch64"):
        return f"manylinux_2_17_{platform.machine()}"
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


class FullSources(sdist):
    """Add documentation, tests and data to a source distribution."""

    def make_distribution(self) -> None:
        """Add the files, then write the archive."""
        for line in _SOURCES.splitlines():
            self.filelist.process_template_line(line)
        self.filelist.sort()
        self.filelist.remove_duplicates()
        super().make_distribution()


os.umask(0o022)
setup(
    distclass=WheelDistribution,
    cmdclass={"build_py": BuildWithKernels, "bdist_wheel": PlatformWheel, "sdist": FullSources},
)
