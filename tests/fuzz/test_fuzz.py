"""Mutated files end in a result, or in an error of one line with a documented exit code; see `tests.fuzz.driver`."""

from __future__ import annotations

import itertools
import os
import random
import time
import warnings
from types import SimpleNamespace

import pytest

from debruijn_gpu.errors import DbgError, FormatError
from tests.fuzz import corpus, driver, judges, mutators, outcomes, seeds, targets
from tests.fuzz.targets import COMMAND_TARGETS, PARSERS, TARGETS
from tests.helpers import n_examples

#: Cases in `make test-all`, within three CPU minutes, fewer in `.ci/run`; `make test` takes a few hundred
MOST_CASES, QUICK_CASES = int(os.environ.get("DBG_FUZZ_CASES", "100000")), 200
#: Cases of one test, so that processes share them
CASES = 10_000


@pytest.fixture(autouse=True)
def _as_the_driver():
    """Warnings are no errors here, as a user has them; those of programs that judge are theirs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def check(findings: driver.Findings) -> None:
    assert not findings.failures, "\n".join(findings.failures)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, MOST_CASES, CASES))
def test_mutated_files_end_in_a_result_or_a_known_error(tmp_path, first):
    findings = driver.run_cases(tmp_path, list(PARSERS), 19, n_examples(CASES), first)
    check(findings)
    assert {code for _, code in findings.outcomes} <= {0, *outcomes.EXIT_CODES}


def test_some_mutated_files_end_in_a_result_or_a_known_error(tmp_path):
    findings = driver.run_cases(tmp_path, list(PARSERS), 20, QUICK_CASES)
    check(findings)
    assert set(findings.n_cases) == set(PARSERS)
    codes = [code for _, code in findings.outcomes.elements()]
    assert codes.count(0) > QUICK_CASES // 10, "hardly a file is read"
    assert codes.count(FormatError.exit_code) > QUICK_CASES // 10, "hardly a file is refused"


@pytest.mark.slow
def test_commands_end_mutated_files_in_a_result_or_one_error(tmp_path):
    check(driver.run_cases(tmp_path, list(COMMAND_TARGETS), 21, n_examples(40 * len(COMMAND_TARGETS))))


@pytest.mark.parametrize("name", PARSERS)
def test_most_sound_files_are_read_with_some_options(tmp_path, name):
    path = tmp_path / "input"
    n_read = 0
    for content in TARGETS[name].seeds():
        path.write_bytes(content)
        n_read += any(driver.run_case(TARGETS[name], path, random.Random(seed)) == 0 for seed in range(9))
    assert 2 * n_read >= len(TARGETS[name].seeds())


@pytest.mark.parametrize("name", corpus.kept_targets())
def test_kept_files_end_in_a_result_or_a_known_error(tmp_path, name):
    assert corpus.kept_paths(name)
    for content in corpus.kept_files(name):
        for seed in range(8):  # other options
            path = tmp_path / "input"
            path.write_bytes(content)
            driver.run_case(TARGETS[name], path, random.Random(seed))


def test_the_corpus_is_small():
    sizes = [path.stat().st_size for name in corpus.kept_targets() for path in corpus.kept_paths(name)]
    assert max(sizes) <= 1 << 13
    assert sum(sizes) <= 1 << 16
    assert set(corpus.kept_targets()) <= set(TARGETS)


def test_cases_depend_on_seed_target_and_number_alone():
    for name in TARGETS:
        contents = [driver.content_of(name, seed, number)[0] for seed, number in ((1, 0), (1, 0), (1, 1), (2, 0))]
        assert contents[0] == contents[1]
        assert len(set(contents)) > 1
        assert max(map(len, contents)) <= mutators.MOST_BYTES


def test_time_limit_ends_the_cases(tmp_path, monkeypatch):
    now = itertools.count(100.0)
    monkeypatch.setattr(driver, "time", SimpleNamespace(monotonic=lambda: next(now)))
    findings = driver.run_cases(tmp_path, list(PARSERS), 1, 10**6, end=109)
    assert findings.n_cases.total() == 10


# The driver finds what it should


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (KeyError("blank"), "KeyError: 'blank'"),
        (MemoryError(), "MemoryError"),
        (DbgError("what"), "exit code 1"),
        (FormatError("two\nlines"), "a message of several lines"),
        (FormatError("x" * 5000), "a message of 5,000 letters"),
        (FormatError(" "), "an error without a message"),
    ],
)
def test_driver_reports_other_errors_and_keeps_the_file(tmp_path, monkeypatch, fault, message):
    def read(_path, _rng):
        raise fault

    monkeypatch.setitem(TARGETS, "fasta", targets.Target(seeds.fasta, read))
    findings = driver.run_cases(tmp_path, ["fasta"], 1, 2)
    assert len(findings.failures) == 2
    assert message in findings.failures[0]
    assert (tmp_path / "fasta-1-0").read_bytes() == driver.content_of("fasta", 1, 0)[0]


def test_driver_reports_what_hangs(tmp_path, monkeypatch):
    monkeypatch.setattr(driver, "MOST_SECONDS", 0.05)
    monkeypatch.setitem(TARGETS, "fasta", targets.Target(seeds.fasta, lambda _path, _rng: time.sleep(20)))
    (failure,) = driver.run_cases(tmp_path, ["fasta"], 1, 1).failures
    assert "HangError" in failure


def test_judges_compare_blocks(tmp_path):
    path = tmp_path / "input"
    path.write_bytes(next(text for text in (b"%d" % i for i in range(99)) if not judges.is_read_once(text)))
    assert judges.same_in_blocks(path, lambda n: 7, 1, 2) == 7
    with pytest.raises(judges.DisagreementError, match="other results"):
        judges.same_in_blocks(path, lambda n: n, 1, 2)

    def fail(n):
        raise FormatError(f"{path}: block {n}")

    with pytest.raises(judges.DisagreementError, match=r"block 1.*block 2"):
        judges.same_in_blocks(path, fail, 1, 2)


def test_biopython_judges_reads(tmp_path):
    path = tmp_path / "input"
    path.write_bytes(b">a\nACGU\nnn-\n>b\n")
    judges.judged_reads(path, [("a", "ACGTNNN"), ("b", "")])
    with pytest.raises(judges.DisagreementError):
        judges.judged_reads(path, [("a", "ACGTNNN")])
    path.write_bytes(b"@a\nACG\n+\nIII\n")
    with pytest.raises(judges.DisagreementError):
        judges.judged_reads(path, [("a", "ACC")])
    path.write_bytes(b"@a\nACG\n+\nII\n")  # which Biopython refuses
    judges.judged_reads(path, [("a", "ACC")])
