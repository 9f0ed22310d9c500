"""What the device parses by itself, and that nothing else of a text comes to the CPU."""

from __future__ import annotations

import pytest

from tests.backends.reads.test_parsing import parse

pytestmark = pytest.mark.cuda

FASTQ = b"@a/1 x\nACGN\n+\nI@+I\n@b\n\n+b\n\n@c\nu\n+\n~\n"
FASTA = b">a/1 x\nACGN\nac\n\n>b\n>c\n-\n"


@pytest.fixture
def host_texts(cuda, monkeypatch):
    """The texts that the CPU is asked to parse."""
    from debruijn_gpu.backends.reads.cuda import parsing

    texts: list[bytes] = []
    parse_on_host = parsing._parse_on_host

    def note(text, fastq, final):
        texts.append(text.tobytes())
        return parse_on_host(text, fastq, final)

    monkeypatch.setattr(parsing, "_parse_on_host", note)
    return texts


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_device_parses_plain_text_alone(cuda, host_texts, line_end):
    fastq, fasta = (text.replace(b"\n", line_end) for text in (FASTQ, FASTA))
    assert parse(cuda, fastq, True, True).n_reads == 3
    assert parse(cuda, fasta, False, True).n_reads == 3
    assert parse(cuda, fasta[:-2], False, False).n_reads == 2
    assert not host_texts


@pytest.mark.parametrize("n_cut", range(1, 12))
def test_cpu_does_not_see_begun_records(cuda, host_texts, n_cut):
    text = FASTQ + b"@d\nAC\n+\nII\n"
    parsed = parse(cuda, text[:-n_cut], True, False)
    assert parsed.n_reads == 3
    assert parsed.n_consumed == len(FASTQ)
    assert not host_texts


def test_cpu_parses_what_ends_without_a_newline(cuda, host_texts):
    assert parse(cuda, FASTQ[:-1], True, True).n_reads == 3
    assert host_texts == [b"@c\nu\n+\n~"]


def test_cpu_parses_all_of_odd_text(cuda, host_texts):
    odd = [
        FASTQ + b"\n" + FASTQ,
        FASTQ.replace(b"+b", b"+c"),
        FASTQ.replace(b"+b", b"+bb"),
        FASTQ.replace(b"+I", b"\tI"),
        b"@a\nA\nC\n+\nII\n" + FASTQ,
    ]
    odd += [b"@a\nAC\n+\nI\nI\n" + FASTQ, FASTQ.replace(b"@b\n", b"@bb\n")]
    for text in odd:
        parse(cuda, text, True, True)
    assert host_texts == odd
