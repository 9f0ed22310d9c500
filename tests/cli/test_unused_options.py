"""Options of `dbg assemble` that would have no effect are errors, and so are repeated ones with other values."""

from __future__ import annotations

from pathlib import Path

import pytest

MATES = [str(Path(__file__).parents[2] / "data" / f"phix174_R{mate}.fastq.gz") for mate in (1, 2)]
UNPAIRED = ("-s", MATES[0], "-q")
PAIRED = ("-1", MATES[0], "-2", MATES[1], "-q")
OF_SEVERAL_K = (
    *("--strand-chance", "--consensus-reads", "--early-bubble-ratio", "--uneven-early-bubble-ratio"),
    *("--early-connection-ratio", "--deferring-depth", "--later-short-tip-length", "--later-tip-ratio"),
    *("--later-rare-tip-ratio", "--later-tip-depth", "--held-length"),
)
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


@pytest.mark.parametrize("option", OF_SEVERAL_K)
def test_thresholds_of_several_k_need_them(refused, option):
    what, remedy = refused(*UNPAIRED, "-k", "31", option, "1")
    assert what == f"{option} has no effect without several k"
    assert remedy == f"leave {option} out, or give several k"


@pytest.mark.parametrize("options", [("-k", "auto"), ("-k", "21,31"), ("-k", "31", "--preset", "amplicon")])
def test_thresholds_that_may_be_used_and_those_of_presets_are_taken(dbg, options):
    used = () if "31" in options else ("--later-tip-ratio", "0.2", "--held-length", "0.4", "--pair-slack", "9")
    assert dbg("assemble", *UNPAIRED, *options, *used)[0] == 0


@pytest.mark.parametrize(
    "options",
    [(*UNPAIRED, "-k", "31"), (*UNPAIRED, "--no-clean"), (*PAIRED, "--no-pairs", "-k", "31")],
    ids=["one k", "no cleaning", "no pairs"],
)
def test_thresholds_of_pairs_need_pairs_or_single_reads_that_resolve_repeats(refused, options):
    what, _remedy = refused(*options, "--pair-slack", "9")
    assert what == "--pair-slack has no effect without pairs of reads or several k, --clean and --held-length"


@pytest.mark.parametrize(
    "options",
    [
        (*UNPAIRED, "-k", "31"),
        (*UNPAIRED, "-k", "21,31", "--no-clean"),
        (*UNPAIRED, "-k", "21,31", "--held-length", "0"),
    ],
)
@pytest.mark.parametrize("option", [("--break-least-reads", "3"), ("--pair-most-steps", "9")])
def test_reads_cut_nothing_where_they_resolve_no_repeats(refused, options, option):
    assert refused(*options, *option)[0].startswith(f"{option[0]} has no effect without pairs of reads")


def test_thresholds_of_fragments_need_pairs(refused, dbg):
    what, _remedy = refused(*UNPAIRED, "-k", "21,31", "--break-least-across", "5")
    assert what == "--break-least-across has no effect without pairs of reads"
    assert dbg("assemble", *PAIRED, "-k", "31", "--break-least-across", "5", "--no-break")[0] == 0
    assert dbg("assemble", *UNPAIRED, "-k", "21,31", "--break-least-reads", "5", "--no-break")[0] == 0


@pytest.mark.parametrize("options", [("-k", "31"), ("-k", "31", "--no-clean")])
def test_thresholds_of_pairs_are_taken_with_pairs(dbg, options):
    assert dbg("assemble", *PAIRED, *options, "--pair-slack", "9")[0] == 0
    assert dbg("assemble", *MATES, "-q", *options, "--pair-slack", "9")[0] == 0  # mates by their names


def test_held_ends_are_of_reads_without_pairs(refused):
    what, remedy = refused(*PAIRED, "--held-length", "0.3")
    assert what == "--held-length and pairs of reads exclude each other"
    assert remedy == "leave --held-length out, or take mates as single reads (--no-pairs)"


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


def test_estimate_continues_nothing(refused, tmp_path):
    what, _remedy = refused(*UNPAIRED, "-o", tmp_path / "x", "--continue", "--estimate")
    assert what == "--continue and --estimate exclude each other"
    assert "names a directory" in refused(*UNPAIRED, "-o", tmp_path / "x.fa", "--estimate")[0]


def test_estimate_looks_at_the_files_that_the_run_needs(dbg, tmp_path):
    file, genes = tmp_path / "file", tmp_path / "genes.fa"
    file.touch()
    code, _out, err = dbg("assemble", *UNPAIRED, "-o", file, "--estimate")
    assert (code, f"{file}: Not a directory" in err) == (66, True)
    code, _out, err = dbg("assemble", *UNPAIRED, "--rotate", genes, "--estimate")
    assert (code, f"{genes}: No such file" in err) == (65, True)


@pytest.mark.parametrize("command", ["assemble", "bin"])
def test_link_to_no_directory_is_named(dbg, tmp_path, command):
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    code, _out, err = dbg(command, MATES[0], "-o", tmp_path / "link")
    assert code == 66
    assert err.splitlines() == [
        f"dbg: {tmp_path / 'link'}: a link to {tmp_path / 'nowhere'}, which does not exist",
        "     make that directory, or remove the link",
    ]
