"""Kernels compiled by other processes."""

from __future__ import annotations

import threading

import pytest

from debruijn_gpu.backends.core import ahead, build, kernel_store, manifest, startup
from debruijn_gpu.backends.core.ahead import Compilers, Request
from debruijn_gpu.backends.core.cpu import levels
from debruijn_gpu.backends.core.kernel_names import find
from debruijn_gpu.backends.core.manifest import Row

pytestmark = pytest.mark.process

COUNT = ("text.cpu.numbers", "_count_newlines", "u1:1C")
NONE = ("text.cpu.numbers", "no_such_kernel", "u1:1C")
WRONG = ("text.cpu.numbers", "_count_newlines", "u1:1C,i8,i8")


def request(kernel=COUNT):
    return Request("cpu", levels.level(), *kernel)


def ignore(done, total):
    pass


@pytest.fixture
def compilers(store_place):
    found = Compilers(2, levels.level())
    yield found
    found.close()


def is_kept(kernel=COUNT):
    module, path, signature = kernel
    return kernel_store.is_there(levels.level(), kernel_store.name_of(find(module, path), signature))


def test_requests_are_lines():
    assert Request.parse(f"{request()}\n") == request()


def test_what_is_asked_for_is_compiled(compilers):
    told = []
    compilers.ask([request(), request(NONE), request()])
    problems = compilers.wait_for_all(lambda done, total: told.append((done, total)))
    assert list(problems) == [request(NONE)]
    assert "no_such_kernel" in problems[request(NONE)]
    assert is_kept()
    assert told[-1] == (2, 2)


def test_what_cannot_be_compiled_is_told_and_the_next_is_compiled(compilers):
    assert compilers.wait_for(request(WRONG), ignore)
    assert compilers.wait_for(request(), ignore) == ""
    assert is_kept()
    assert compilers.wait_for(request(), ignore) == ""


def test_many_wait_for_the_same(compilers):
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(compilers.wait_for(request(), ignore))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [""] * 4


def test_a_process_that_dies_is_told(compilers, monkeypatch):
    monkeypatch.setattr(ahead, "_WORKER", ["false"])
    dying = Compilers(1, levels.level())
    assert dying.wait_for(request(), ignore)
    assert dying.wait_for(request(NONE), ignore)


def test_a_process_that_is_killed_between_kernels_is_told(store_place):
    compilers = Compilers(1, levels.level())
    assert compilers.wait_for(request(), ignore) == ""
    (process,) = compilers._processes
    process.kill()
    process.wait()
    told = compilers.wait_for(request(NONE), ignore)
    assert "ended" in told or told == "no process compiles"  # its thread may see it before the request
    compilers.ask([request(WRONG)])
    assert compilers.wait_for_all(ignore)[request(WRONG)] == "no process compiles"
    compilers.close()


def test_no_process_can_be_started(store_place, monkeypatch):
    monkeypatch.setattr(ahead, "_WORKER", ["/no/such/program"])
    assert "no process" in Compilers(2, levels.level()).wait_for(request(), ignore)


def test_closed_ones_end(store_place):
    compilers = Compilers(1, levels.level())
    compilers.ask([request()])
    compilers.close()
    compilers.wait_for_all(ignore)


def test_only_commands_compile_elsewhere(store_place, monkeypatch):
    kernel = find(*COUNT[:2])
    monkeypatch.setattr(startup, "command_line", ())
    assert not ahead.compile_elsewhere(kernel, "cpu", COUNT[2], levels.level())
    monkeypatch.setattr(startup, "command_line", ["sort"])
    monkeypatch.setattr(ahead, "_compilers", None)
    monkeypatch.setattr(manifest, "read", list)
    assert ahead.compile_elsewhere(kernel, "cpu", COUNT[2], levels.level())
    assert is_kept()
    ahead._compilers.close()


def test_kernels_are_packed_for_a_target(store_place, tmp_path, monkeypatch, forget):
    rows = [Row("cpu", *COUNT), Row("cuda", "kmers.cuda.lookups", "_look_up(1)", "")]
    monkeypatch.setattr(manifest, "read", lambda: rows)
    directory = tmp_path / "installed"
    build.build(levels.level(), directory)
    name = kernel_store.name_of(find(*COUNT[:2]), COUNT[2])
    kept = kernel_store.find(levels.level(), name)
    (store_place / levels.level() / name).unlink()
    forget()
    assert list(kernel_store.installed(levels.level())) == [name]
    assert kernel_store.find(levels.level(), name) == kept
    assert find(*COUNT[:2]) is not None


def test_what_does_not_compile_is_not_packed(store_place, tmp_path, monkeypatch):
    monkeypatch.setattr(manifest, "read", lambda: [Row("cpu", *WRONG)])
    with pytest.raises(build.NotCompiledError, match="3 argument types"):
        build.build(levels.level(), tmp_path / "installed")
