"""Options of `dbg assemble` that would have no effect are errors, and so are repeated ones with other values."""

from __future__ import annotations

from pathlib import Path

import pytest

MATES = [str(Path(__file__).parents[2] / "data" / f"phix174_R{mate}.fastq.gz") for mate in (1, 2)]
UNPAIRED = ("-s", MATES[0], "-q")
OF_DIRECTORY = (("--force",), ("--continue",), ("--checkpoint",), ("--name", "x"), ("--keep-variants",))


@pytest.fixture
def refused(dbg):
    """A function that runs a command line that is an error, and returns its message and remedy."""

    def run(*args):
        code, out, err = dbg("assemble", *args)
        assert (code, out) == (2, "")
        what, remedy = err.splitlines()
        return what.removeprefix("dbg: "), remedy.strip()

    return run


@pytest.mark.parametrize("options", OF_DIRECTORY, ids=" ".join)
@pytest.mark.parametrize("place", [(), ("-o", "-")], ids=["none", "-"])
def test_options_of_a_directory_need_one(refused, options, place):
    assert refused(*UNPAIRED, *options, *place)[0] == f"{options[0]} has no effect without --outdir"


def test_force_of_bins_needs_a_directory(dbg, tmp_path):
    (tmp_path / "contigs.fa").write_text(">a\nACGT\n")
    code, _out, err = dbg("bin", tmp_path / "contigs.fa", "-o", "-", "--force")
    assert (code, "--force has no effect without --outdir" in err) == (2, True)


def test_repeated_k_is_refused(refused, dbg):
    assert refused(*UNPAIRED, "-k", "21", "-k", "31") == (
        "-k is given twice: 21 and 31",
        "give all k at once, as in -k 21,31",
    )
    assert dbg("assemble", *UNPAIRED, "-k", "31", "-k", "31")[0] == 0


def test_repeated_directory_is_refused(refused, tmp_path):
    what, _remedy = refused(*UNPAIRED, "-o", tmp_path / "a", "--outdir", tmp_path / "b")
    assert what == f"-o or --outdir is given twice: {tmp_path / 'a'} and {tmp_path / 'b'}"


@pytest.mark.parametrize("value", ["--force", "-f", "--forec"])
def test_option_in_place_of_a_directory_is_refused(refused, value):
    what, remedy = refused(*UNPAIRED, "-o", value)
    assert what == f"--outdir {value}: expected a path, got an option"
    assert remedy == f"give a path; a file of that name is ./{value}"


@pytest.mark.parametrize("command", ["assemble", "bin"])
def test_link_to_no_directory_is_named(dbg, tmp_path, command):
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    code, _out, err = dbg(command, MATES[0], "-o", tmp_path / "link")
    assert code == 66
    assert err.splitlines() == [
        f"dbg: {tmp_path / 'link'}: a link to {tmp_path / 'nowhere'}, which does not exist",
        "     make that directory, or remove the link",
    ]
