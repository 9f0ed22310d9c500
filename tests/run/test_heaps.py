"""Heaps of the C library, in a process of their own."""

from __future__ import annotations

import platform
import re
import subprocess
import sys

import pytest

from debruijn_gpu.run.heaps import MOST_HEAPS

PROGRAM = """
import ctypes, sys, threading
from debruijn_gpu.run.heaps import limit_heaps
if sys.argv[1] == "limited":
    limit_heaps()
libc = ctypes.CDLL(None)
libc.malloc.restype = libc.fopen.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]
libc.free(libc.malloc(16 << 20))  # raises the size of what goes to a heap, unless that is fixed
assert libc.malloc(12 << 20)
all_have = threading.Barrier(16)
def allocate():
    assert libc.malloc(1000)
    all_have.wait()
threads = [threading.Thread(target=allocate) for _ in range(16)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
stream = ctypes.c_void_p(libc.fopen(sys.argv[2].encode(), b"w"))
libc.malloc_info(0, stream)
libc.fclose(stream)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library has its own heaps")
@pytest.mark.parametrize("kind", ["limited", "not"])
def test_threads_share_a_few_heaps_without_large_arrays(kind, tmp_path):
    path = tmp_path / "info.xml"
    subprocess.run([sys.executable, "-c", PROGRAM, kind, path], check=True)
    text = path.read_text()
    n_heaps, mapped = text.count("<heap nr="), int(re.findall('type="mmap" count="[0-9]+" size="([0-9]+)"', text)[-1])
    if kind == "limited":
        assert n_heaps == MOST_HEAPS
        assert mapped >= 12 << 20
    else:
        assert n_heaps > MOST_HEAPS
        assert mapped < 12 << 20
