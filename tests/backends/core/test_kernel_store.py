"""The store of machine code: what is kept is found, and what is damaged, foreign or not to be trusted is not."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from debruijn_gpu.backends.core import cache_place, kernel_store
from debruijn_gpu.backends.core.cache_place import CachePlace
from debruijn_gpu.backends.core.deferred import Function
from debruijn_gpu.backends.core.kernel_store import find, installed, is_there, keep, name_of, pack

ROOT = Path(__file__).parents[3]
PIECES = {"one-1": b"first\0\n", "two-2": bytes(1000), "three-3": bytes(range(256))}


def one(x):
    return x


def install(pieces, target="t"):
    kernel_store.INSTALLED.mkdir(exist_ok=True)
    (kernel_store.INSTALLED / target).write_bytes(pack(pieces))
    installed.cache_clear()


def test_a_name_tells_function_and_signature():
    names = [name_of(Function(one), "i8"), name_of(Function(one), "i4"), name_of(Function(one, lean=True), "i8")]
    assert len(set(names)) == 3
    assert all(name.startswith("one-") for name in names)
    assert name_of(Function(one), "i8") == names[0]
    assert name_of(Function(lambda x: x), "i8") is None


def test_what_is_kept_is_found(store_place, forget):
    assert find("t", "one-1") is None
    assert not is_there("t", "one-1")
    for name, code in PIECES.items():
        keep("t", name, code)
    for _ in range(2):
        assert {name: find("t", name) for name in PIECES} == PIECES
        assert is_there("t", "one-1")
        assert find("other", "one-1") is find("t", "four-4") is None
        forget()
    keep("t", "one-1", b"another")
    assert find("t", "one-1") == b"another"
    assert sorted(path.name for path in (store_place / "t").iterdir()) == sorted(PIECES)


def test_every_flipped_bit_is_found(store_place):
    keep("t", "one-1", b"machine code")
    path = store_place / "t" / "one-1"
    content = bytearray(path.read_bytes())
    for i in range(8 * len(content)):
        content[i // 8] ^= 1 << i % 8
        path.write_bytes(content)
        assert find("t", "one-1") is None
        content[i // 8] ^= 1 << i % 8
    path.write_bytes(content)
    assert find("t", "one-1") == b"machine code"


def test_every_cut_is_found_and_can_be_repaired(store_place):
    keep("t", "one-1", b"machine code")
    path = store_place / "t" / "one-1"
    content = path.read_bytes()
    for size in range(len(content)):
        path.write_bytes(content[:size])
        assert find("t", "one-1") is None
    assert is_there("t", "one-1")
    keep("t", "one-1", b"machine code")
    assert find("t", "one-1") == b"machine code"


@pytest.mark.parametrize("kind", ["directory", "link to nowhere", "unreadable"])
def test_what_is_no_file_is_not_found(store_place, monkeypatch, kind):
    keep("t", "other-1", b"code")
    path = store_place / "t" / "one-1"
    if kind == "directory":
        path.mkdir()
    elif kind == "link to nowhere":
        path.symlink_to("nowhere")
    else:

        def fail(descriptor, n_bytes):
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        keep("t", "one-1", b"code")
        monkeypatch.setattr(os, "read", fail)
    assert find("t", "one-1") is None
    keep("t", "one-1", b"code")  # no error


@pytest.mark.parametrize("step", ["mkdir", "mkstemp", "write", "replace"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT])
def test_a_disk_that_cannot_be_written_is_no_error(store_place, monkeypatch, step, number):
    def fail(*args, **kwargs):
        raise OSError(number, os.strerror(number))

    keep("t", "kept-1", b"code")
    with monkeypatch.context() as changed:
        if step == "mkdir":
            changed.setattr(Path, "mkdir", fail)
        elif step == "mkstemp":
            changed.setattr(kernel_store.tempfile, "mkstemp", fail)
        elif step == "write":
            changed.setattr(kernel_store, "sealed", fail)
        else:
            changed.setattr(os, "replace", fail)
        keep("t", "one-1", b"code")
        assert find("t", "kept-1") == b"code"
    assert find("t", "one-1") is None
    assert [path.name for path in (store_place / "t").iterdir()] == ["kept-1"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_disk_that_is_full_while_it_is_written_is_no_error(store_place, monkeypatch):
    keep("t", "kept-1", b"code")
    temporary = store_place / "t" / ".temporary"
    temporary.touch()
    opened = os.open("/dev/full", os.O_WRONLY)
    monkeypatch.setattr(kernel_store.tempfile, "mkstemp", lambda **kwargs: (opened, str(temporary)))
    keep("t", "one-1", b"code")
    assert [path.name for path in (store_place / "t").iterdir()] == ["kept-1"]


def test_without_a_place_nothing_is_kept(store_place, monkeypatch):
    monkeypatch.setattr(kernel_store, "place", lambda: CachePlace(None, None))
    keep("t", "one-1", b"code")
    assert find("t", "one-1") is None
    assert not is_there("t", "one-1")
    install({"one-1": b"installed"})
    assert find("t", "one-1") == b"installed"


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777])
def test_a_directory_that_others_can_write_to_is_not_used(store_place, forget, monkeypatch, mode):
    warnings: list[str] = []
    monkeypatch.setattr(kernel_store.log.logger, "warning", lambda text, *args: warnings.append(text % args))
    keep("t", "one-1", b"code")
    (store_place / "t").chmod(mode)
    assert find("t", "one-1") is None
    for _ in range(2):
        keep("t", "two-2", b"code")
        assert find("t", "two-2") is find("t", "one-1") is None
    assert warnings == [f"compiled code in {store_place / 't'} is not used: others can write to it, mode {mode:o}"]
    (store_place / "t").chmod(0o755)
    forget()
    assert find("t", "one-1") == b"code"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_directory_of_another_user_is_not_used(store_place):
    keep("t", "one-1", b"code")
    os.chown(store_place / "t", 12345, -1)
    assert find("t", "one-1") is None


def test_threads_keep_and_find_whole_pieces(store_place):
    codes = [bytes([i]) * 10_000 for i in range(8)]

    def work(i):
        for _ in range(10):
            keep("t", "shared-1", codes[i])
            keep("t", f"own-{i}", codes[i])
            assert find("t", "shared-1") in codes
            assert find("t", f"own-{i}") == codes[i]

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert len(list((store_place / "t").iterdir())) == 9


@pytest.mark.process
def test_processes_keep_and_find_whole_pieces(store_place):
    code = (
        "import sys; from debruijn_gpu.backends.core.kernel_store import find, keep\n"
        "code, codes = sys.argv[1].encode() * 50_000, [name * 50_000 for name in (b'a', b'b', b'c')]\n"
        "for _ in range(50):\n    keep('t', 'shared-1', code)\n    assert find('t', 'shared-1') in codes\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, name], cwd=ROOT) for name in "abc"]
    assert [process.wait() for process in running] == [0, 0, 0]
    assert [path.name for path in (store_place / "t").iterdir()] == ["shared-1"]


@pytest.mark.parametrize("pieces", [{}, {"one-1": b"x"}, PIECES])
def test_what_is_packed_is_installed(store_place, pieces):
    install(pieces)
    assert {name: cache_place.unsealed(content) for name, content in installed("t").items()} == pieces
    assert {name: find("t", name) for name in pieces} == pieces
    assert all(is_there("t", name) for name in pieces)
    assert find("t", "four-4") is None
    assert not installed("other")
    assert not (store_place / "t").exists()
    assert pack(pieces) == pack(dict(reversed(pieces.items())))


@pytest.mark.parametrize("damage", ["cut", "flip", "longer"])
def test_damaged_installed_files_are_compiled_again(store_place, damage):
    """A piece is found whole, or not at all; then the one that is kept is found."""
    content = pack(PIECES)
    install(PIECES)
    path = kernel_store.INSTALLED / "t"
    for at in [*range(150), *range(150, len(content), 97)]:
        changed = bytearray(content)
        if damage == "cut":
            del changed[at:]
        elif damage == "longer":
            changed[at:at] = b"1"
        else:
            changed[at] ^= 1 << at % 8
        path.write_bytes(changed)
        installed.cache_clear()
        assert all(find("t", name) in (None, code) for name, code in PIECES.items())
    path.write_bytes(content[:-1])
    installed.cache_clear()
    damaged = max(PIECES)
    assert find("t", damaged) is None
    keep("t", damaged, PIECES[damaged])
    assert find("t", damaged) == PIECES[damaged]


def test_an_installed_file_may_be_removed_or_replaced_meanwhile(store_place):
    install(PIECES)
    assert find("t", "two-2") == PIECES["two-2"]
    path = kernel_store.INSTALLED / "t"
    path.write_bytes(pack({"two-2": b"another"}))
    assert find("t", "two-2") in (None, b"another")
    path.unlink()
    assert find("t", "one-1") is None
