"""`dbg cyclospec` and its commands, through their entry point."""

from __future__ import annotations

import io
import subprocess
import sys

import numpy as np
import pytest

LEQN = "0 113 114 128 129 227 242 242 257 355 356 370 371 484\n"
NOISY = "0 71 113 129 147 200 218 260 313 331 347 389 460\n"


def ran(dbg, *args):
    code, out, err = dbg("cyclospec", *args)
    assert code == 0, err
    return out


def file_of(tmp_path, text, name="spectrum"):
    path = tmp_path / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("peptide", ["LEQN", "NQEL", "113-129-128-114", "Leu-Glu-Gln-Asn"])
def test_the_textbooks_spectrum(dbg, peptide):
    assert ran(dbg, peptide) == LEQN
    assert ran(dbg, "spectrum", peptide) == LEQN


def test_counts_and_uniques_and_the_most_frequent(dbg):
    rows = [line.split("\t") for line in ran(dbg, "57-71-113-113-128", "--count").splitlines()]
    assert sum(int(count) for _, count in rows) == 5 * 4 + 2
    assert ["113", "2"] in rows
    unique = ran(dbg, "57-71-113-113-128", "--unique").split()
    assert unique == [mass for mass, _ in rows]
    assert ran(dbg, "57-71-113-113-128", "--count", "--top", 2) == "113\t2\n128\t2\n"


def test_linear_and_other_masses(dbg):
    assert ran(dbg, "NQEL", "--linear") == "0 113 114 128 129 242 242 257 370 371 484\n"
    assert ran(dbg, "GA", "--mass", "monoisotopic") == "0.00000 57.02146 71.03711 128.05857\n"
    assert ran(dbg, "M[+15.995]G") == "0.000 57.000 146.995 203.995\n"


def test_masses_are_written_exactly_in_all_formats(dbg):
    """A float of 64 bits has some 16 digits."""
    peptide = "1234567890.123456789-0.000000001"
    masses = ["0.000000000", "0.000000001", "1234567890.123456789", "1234567890.123456790"]
    assert ran(dbg, peptide).split() == masses
    assert ran(dbg, peptide, "--count") == "".join(f"{mass}\t1\n" for mass in masses)
    assert ran(dbg, peptide, "--unique", "--format", "tsv").splitlines()[1:] == [
        f"{peptide}\t{mass}" for mass in masses
    ]


def test_tables_and_arrays(dbg, tmp_path):
    assert ran(dbg, "GA", "--format", "tsv", "--count") == (
        "peptide\tmass\tcount\nGA\t0\t1\nGA\t57\t1\nGA\t71\t1\nGA\t128\t1\n"
    )
    out = tmp_path / "out.npy"
    ran(dbg, "NQEL", "--format", "npy", "-o", out)
    assert np.load(out).tolist() == [int(mass) for mass in LEQN.split()]
    ran(dbg, "NQEL", "--format", "npy", "--count", "-o", out)
    assert np.load(out).shape == (13, 2)
    ran(dbg, "GA", "--mass", "average", "--format", "npy", "--unique", "-o", out)
    assert np.load(out).dtype == np.float64


def test_files_of_peptides(dbg, tmp_path):
    lines = file_of(tmp_path, "NQEL\n# none\n57-71\n", "peptides.txt")
    assert ran(dbg, lines) == LEQN + "0 57 71 128\n"
    fasta = file_of(tmp_path, ">one first\nNQ\nEL\n>two\nGA\n", "peptides.fa")
    assert ran(dbg, fasta) == f">one\n{LEQN}>two\n0 57 71 128\n"
    assert ran(dbg, fasta, "--format", "tsv").splitlines()[1] == "one\t0"
    table = file_of(tmp_path, "B 99\n", "masses.txt")
    assert ran(dbg, "GB", "--masses", table) == "0 57 99 156\n"


@pytest.mark.slow
def test_segments_are_the_whole(dbg, tmp_path, monkeypatch):
    """A spectrum that does not fit into the memory allowed is written in segments."""
    peptide = "-".join(str(57 + i * i % 130) for i in range(60))
    whole = ran(dbg, peptide)
    monkeypatch.setattr("debruijn_gpu.cli.cyclospec.spectrum", _refuse)
    monkeypatch.setattr("debruijn_gpu.cli.cyclospec._segment_bytes", lambda run: 4096)
    assert ran(dbg, peptide) == whole
    assert sum(int(line.split()[1]) for line in ran(dbg, peptide, "--count").splitlines()) == 60 * 59 + 2
    out = tmp_path / "out.npy"
    ran(dbg, peptide, "--format", "npy", "-o", out)
    assert np.load(out).tolist() == [int(mass) for mass in whole.split()]
    ran(dbg, peptide, "--format", "npy", "--count", "-o", out)
    assert np.load(out)[:, 1].sum() == 60 * 59 + 2


def test_one_peptide_for_an_array(dbg):
    assert dbg("cyclospec", "NQEL", "GA", "--format", "npy")[:2] == (2, "")


def test_a_long_peptide_is_no_name_of_rows(dbg):
    rows = ran(dbg, "GA", "G" * 60, "--format", "tsv", "--unique").splitlines()
    assert rows[1] == "GA\t0"
    assert rows[-1] == f"peptide_2\t{57 * 60}"


def _refuse(*args):
    from debruijn_gpu.errors import OutOfMemoryError

    raise OutOfMemoryError("Out of memory", "allow more")


@pytest.mark.slow
def test_plots(dbg, tmp_path):
    against = file_of(tmp_path, LEQN)
    for name in ("a.svg", "a.png", "a.pdf"):
        assert ran(dbg, "LEQN", "--plot", tmp_path / name) == LEQN
        assert (tmp_path / name).stat().st_size > 1000
    ran(dbg, "LEQN", "--plot", tmp_path / "b.svg", "--against", against, "--tolerance", "0.5")
    assert "matched" in (tmp_path / "b.svg").read_text() or (tmp_path / "b.svg").stat().st_size > 1000


def test_a_peptide_of_its_ideal_spectrum(dbg, tmp_path):
    assert ran(dbg, "sequence", file_of(tmp_path, LEQN)) == "113-114-128-129\n"
    assert ran(dbg, "sequence", file_of(tmp_path, LEQN), "--method", "ideal", "--alphabet", "57:200") == (
        "113-114-128-129\n"
    )


def test_a_leaderboard(dbg, tmp_path):
    spectrum = file_of(tmp_path, NOISY)
    out = ran(dbg, "sequence", spectrum, "--method", "leaderboard", "--keep", 10, "--top", 1)
    assert out == "13\t71-129-113-147\n"
    out = ran(dbg, "sequence", spectrum, "--method", "leaderboard", "--alphabet", "spectrum", "--top", 1)
    assert out.startswith("13\t")


def test_what_is_told_of_spectra_that_are_not_ideal(dbg, tmp_path):
    """Where one could be ideal, the user must know that the leaderboard stands in; additions count only if ideal."""
    missing = file_of(tmp_path, "113 114 128 129 227 242 257\n")
    assert "is added" not in dbg("cyclospec", "sequence", missing)[2]
    code, out, err = dbg("cyclospec", "sequence", file_of(tmp_path, "0 60 70 130\n"), "--alphabet", "65")
    assert (code, out, err.count("warning")) == (0, "2\t65-65\n", 1)
    assert "no residue has the mass 60" in err


def test_the_precursor_is_the_mass_of_an_ideal_peptide(dbg, tmp_path):
    peaks = "\n".join(f"{int(mass) + 1.007276466621:.6f} 1" for mass in LEQN.split()[1:-1])
    text = f"BEGIN IONS\nPEPMASS=485.007276\nCHARGE=1+\n{peaks}\nEND IONS\n"
    assert ran(dbg, "sequence", file_of(tmp_path, text), "--method", "ideal") == "113-114-128-129\n"


def test_counts_of_many_digits(dbg):
    out = ran(dbg, "count", "300.00", "--alphabet", "0.01,0.02")
    assert len(out) == 6271


def test_scores_and_convolutions_and_counts(dbg, tmp_path):
    spectrum = file_of(tmp_path, "0 99 113 114 128 227 257 299 355 356 370 371 484\n")
    assert ran(dbg, "score", "NQEL", spectrum) == "11\n"
    assert ran(dbg, "score", "NQEL", spectrum, "--linear") == "8\n"
    differences = file_of(tmp_path, "0 137 186 323\n", "differences")
    assert ran(dbg, "convolve", differences) == "49\t1\n137\t2\n186\t2\n323\t1\n"
    assert ran(dbg, "convolve", differences, "--between", "57:200", "--top", 1) == "137\t2\n186\t2\n"
    assert ran(dbg, "count", "1024") == "14712706211\n"
    assert ran(dbg, "count", "4", "--alphabet", "1,2") == "5\n"
    assert ran(dbg, "count", "4", "--alphabet", "1,2", "--cyclic") == "3\n"


def test_an_mgf(dbg, tmp_path):
    masses = [float(mass) for mass in LEQN.split()[1:-1]]
    peaks = "\n".join(f"{mass + 1.007276466621:.6f} 10" for mass in masses)
    text = f"BEGIN IONS\nTITLE=leqn\nPEPMASS={485.007276466621:.6f}\nCHARGE=1+\n{peaks}\nEND IONS\n"
    out = ran(dbg, "sequence", file_of(tmp_path, text, "s.mgf"), "--tolerance", "0.01", "--keep", 50, "--top", 1)
    assert out.split("\t")[1] == "113-114-128-129\n"


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("NQXL",), 67, "position 3: 'X'"),
        (("",), 67, ""),
        (("57-A-71",), 67, ""),
        (("0-57",), 67, ""),
        (("57--71",), 67, ""),
        (("NQEL", "--format", "xml"), 2, "--format xml: no such format"),
        (("NQEL", "--unique", "--count"), 2, "exclude each other"),
        (("NQEL", "--top", "0"), 2, "--top is 0"),
        (("NQEL", "--mass", "heavy"), 2, "heavy"),
        (("NQEL", "--plot", "x.doc"), 2, "but this command writes svg, png or pdf"),
        (("NQEL", "--plot", "-"), 2, "standard output is for the results"),
        (("NQEL", "--against", "x"), 2, "--against has no effect without --plot"),
        (("NQEL", "--tolerance", "0.5"), 2, "--tolerance has no effect without --against"),
        (("NQEL", "--plot", "x.svg", "--against", "{noisy}", "--tolerance", "much"), 2, "--tolerance much"),
        (("NQEL", "--plot", "{noisy}.svg", "-o", "{noisy}.svg"), 2, "both --output and --plot"),
        (("NQEL", "--plot", "{noisy}.svg", "--against", "/missing"), 65, "/missing"),
        (("sequence", "missing"), 65, "missing"),
        (("sequence", "{noisy}", "--method", "guess"), 2, "--method guess"),
        (("sequence", "{noisy}", "--method", "ideal", "--alphabet", "57,x"), 2, "--alphabet 57,x"),
        (("sequence", "{noisy}", "--parent", "-5"), 2, "--parent -5"),
        (("sequence", "{noisy}", "--parent", "460.5"), 2, "no whole mass"),
        (("sequence", "{noisy}", "--parent", "9" * 30), 2, "no whole mass"),
        (("sequence", "{noisy}", "--alphabet", "57.0123456789"), 2, "up to 9 decimals"),
        (("sequence", "{noisy}", "--tolerance", "460"), 67, "as much as the mass"),
        (("sequence", "{noisy}", "--tolerance", "459", "--alphabet", "2"), 67, "more than 256 residues"),
        (("sequence", "{noisy}", "--number", "3"), 67, "no spectrum 3"),
        (("count", "x"), 2, "MASS x"),
        (("count", "0"), 2, "MASS 0"),
        (("count", "5", "--mirrored"), 2, "--mirrored has no effect without --cyclic"),
        (("convolve", "{noisy}", "--between", "a..b"), 2, "--between a..b"),
        (("convolve", "{noisy}", "--between", "\u00b2..5"), 2, "no bounds"),
        (("convolve", "{noisy}", "--between", "9" * 30 + ".."), 2, "no bounds"),
    ],
)
def test_errors(dbg, tmp_path, args, code, message):
    noisy = file_of(tmp_path, NOISY)
    found, out, err = dbg("cyclospec", *(arg.format(noisy=noisy) for arg in args))
    assert (found, out) == (code, ""), err
    assert message in err
    assert len(err.splitlines()) <= 2


def test_gpus_are_asked_for(dbg):
    code, _, err = dbg("cyclospec", "NQEL", "--backend", "cuda")
    assert code in (0, 70), err


@pytest.mark.process
def test_arrays_to_a_pipe():
    command = [sys.executable, "-m", "debruijn_gpu", "cyclospec", "LEQN", "--format", "npy"]
    done = subprocess.run(command, capture_output=True, check=True)
    assert np.load(io.BytesIO(done.stdout)).tolist() == [int(mass) for mass in LEQN.split()]


#: Rosalind BA4L, BA4E, BA4F, BA4K
BOARD = "0 71 87 101 113 158 184 188 259 271 372\n"


def test_a_leaderboard_is_trimmed_with_ties(dbg, tmp_path):
    spectrum = file_of(tmp_path, BOARD)
    args = ("trim", "LAST", "ALST", "TLLT", "TQAS", spectrum, "--linear")
    assert ran(dbg, *args, "--top", 2) == "LAST\nALST\n"
    assert ran(dbg, *args, "--top", 9) == "LAST\nALST\nTQAS\nTLLT\n"
    assert ran(dbg, "trim", "NQEL", "QNEL", "LEQN", spectrum, "--top", 1, "--linear") == "NQEL\nQNEL\nLEQN\n"
    peptides = file_of(tmp_path, ">one\nLAST\n>two\nTLLT\n", "peptides.fa")
    assert ran(dbg, "trim", peptides, spectrum, "--linear", "--top", "1") == ">one\nLAST\n"
    masses = file_of(tmp_path, "113-71-87-101\n101-113-113-101\n", "masses")
    assert ran(dbg, "trim", masses, spectrum, "--linear", "--top", "1") == "113-71-87-101\n"


def test_scores_of_lists_of_peptides(dbg, tmp_path, monkeypatch):
    spectrum = file_of(tmp_path, BOARD)
    table = "11\tLAST\n9\tALST\n3\tTLLT\n2\tGA\n"
    assert ran(dbg, "score", "LAST", "ALST", "TLLT", "GA", spectrum, "--linear") == table
    peptides = file_of(tmp_path, "LAST\nALST\nTLLT\nGA\n", "peptides.txt")
    assert ran(dbg, "score", peptides, spectrum, "--linear") == table
    monkeypatch.setattr("debruijn_gpu.cli.cyclospec.scores._AT_ONCE", 3)
    assert ran(dbg, "score", peptides, spectrum, "--linear") == table
    assert ran(dbg, "score", "LAST", spectrum, "--linear") == "11\n"
    alone = file_of(tmp_path, "LAST\n", "alone.txt")
    assert ran(dbg, "score", alone, spectrum, "--linear") == "11\tLAST\n"
    assert dbg("cyclospec", "score", "-", "-")[0] == 2
    assert dbg("cyclospec", "trim", "LAST", spectrum, "--top", 0)[0] == 2
    assert dbg("cyclospec", "trim", "LAST", spectrum)[0] == 2
    assert dbg("cyclospec", "score", "LAXST", spectrum)[0] == 67


@pytest.mark.process
def test_peptides_of_standard_input(tmp_path):
    spectrum = file_of(tmp_path, BOARD)
    command = [sys.executable, "-m", "debruijn_gpu", "cyclospec", "score", str(spectrum), "--linear"]
    run = subprocess.run(command, input="LAST\nTLLT\n", capture_output=True, text=True, check=True)
    assert run.stdout == "11\tLAST\n3\tTLLT\n"


def test_all_forms_and_letters_of_cyclic_peptides(dbg, tmp_path):
    spectrum = file_of(tmp_path, "0 113 128 186 241 299 314 427\n")
    forms = ["186-128-113", "186-113-128", "128-186-113", "128-113-186", "113-186-128", "113-128-186"]
    assert ran(dbg, "sequence", spectrum, "--all-forms").split() == sorted(forms)
    assert ran(dbg, "sequence", spectrum, "--letters") == "113-128-186\t(I/L)(K/Q)W\n"
    board = ran(dbg, "sequence", spectrum, "--method", "leaderboard", "--top", 1, "--all-forms", "--letters")
    rows = [line.split("\t") for line in board.splitlines()]
    assert [row[1] for row in rows] == sorted(forms)
    assert {row[0] for row in rows} == {"8"}
    assert rows[0][2] == "(I/L)(K/Q)W"
    unknown = ran(dbg, "sequence", spectrum, "--alphabet", "113,128,186", "--letters", "--masses", _table(tmp_path))
    assert unknown == "113-128-186\tb(K/Q)W\n"


def _table(tmp_path):
    return file_of(tmp_path, "I 200\nL 201\nb 113\n", "table")


def test_linear_peptides_of_spectra(dbg, tmp_path):
    spectrum = file_of(tmp_path, ran(dbg, "NQEL", "--linear"))
    assert ran(dbg, "sequence", spectrum, "--linear") == "113-129-128-114\n"
    assert ran(dbg, "sequence", spectrum, "--linear", "--all-forms") == "113-129-128-114\n114-128-129-113\n"
    found = ran(dbg, "sequence", spectrum, "--linear", "--method", "leaderboard", "--letters")
    assert "11\t113-129-128-114\t(I/L)E(K/Q)N" in found.splitlines()
    code, _, err = dbg("cyclospec", "sequence", file_of(tmp_path, LEQN, "cyclic"), "--linear", "--method", "ideal")
    assert code == 67
    assert "one of a linear peptide of n residues has n (n + 1) / 2 + 1: 11 or 16" in err
    assert dbg("cyclospec", "sequence", spectrum, "--linear", "--method", "ideal", "--alphabet", "57,71")[0] == 69


def test_fragment_ions(dbg, tmp_path):
    """Monoisotopic m/z of PEPTIDE at charge 1, as of any calculator of fragments."""
    args = ("PEPTIDE", "--linear", "--mass", "monoisotopic")
    table = ran(dbg, *args, "--ions", "b,y", "--format", "tsv").splitlines()
    assert table[0] == "peptide\tion\tmass"
    ions = {row.split("\t")[1]: float(row.split("\t")[2]) for row in table[1:]}
    expected = {"b1": 98.0600, "b2": 227.1026, "b3": 324.1554, "b4": 425.2031, "b5": 538.2871, "b6": 653.3141}
    expected |= {"y1": 148.0604, "y2": 263.0874, "y3": 376.1714, "y4": 477.2191, "y5": 574.2719, "y6": 703.3145}
    assert ions == pytest.approx(expected, abs=2e-4)
    assert list(ions.values()) == sorted(ions.values())
    assert ran(dbg, *args, "--ions", "y").split() == [f"{ions[f'y{i}']:.5f}" for i in range(1, 7)]
    assert ran(dbg, "57-71-113", "--linear", "--ions", "y,b").split() == ["58", "129", "132", "203"]
    assert ran(dbg, "G", "--linear", "--ions", "b") == "\n"
    ran(dbg, *args, "--ions", "b,y", "--format", "npy", "-o", tmp_path / "ions.npy")
    assert np.load(tmp_path / "ions.npy") == pytest.approx(sorted(expected.values()), abs=2e-4)
    ran(dbg, *args, "--ions", "b,y", "--plot", tmp_path / "ions.svg")
    fasta = file_of(tmp_path, ">one\nGA\n>two\nAG\n", "peptides.fa")
    assert ran(dbg, fasta, "--linear", "--ions", "b,y") == ">one\n58 90\n>two\n72 76\n"
    for wrong in (("--ions", "b"), ("--linear", "--ions", "z"), ("--linear", "--ions", "b", "--count")):
        assert dbg("cyclospec", "NQEL", *wrong)[0] == 2
