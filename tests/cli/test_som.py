"""`dbg som` through its entry point: units, weights, U-matrix, and errors."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu import SelfOrganizingMap


@pytest.fixture
def vectors(tmp_path, monkeypatch):
    """A table of numbers in the current directory: as text, with a header and names, and as .npy."""
    monkeypatch.chdir(tmp_path)
    found = np.random.default_rng(2).normal([0, 5, -3], 1, (40, 3)).round(3)
    lines = ["\t".join(map(str, row)) for row in found.tolist()]
    (tmp_path / "table.tsv").write_text("\n".join(lines) + "\n")
    (tmp_path / "named.tsv").write_text("x\ty\tz\tname\n" + "".join(f"{line}\tname\n" for line in lines))
    np.save(tmp_path / "table.npy", found)
    found.tofile(tmp_path / "table.raw")
    return found


def expected(vectors, rows, columns, **parameters):
    som = SelfOrganizingMap(rows, columns, **parameters).fit(vectors)
    units, distances = som.match(vectors)
    lines = [
        f"{i}\t{u % columns}\t{u // columns}\t{d:.9g}" for i, (u, d) in enumerate(zip(units, distances, strict=True), 1)
    ]
    return "\n".join(["row\tx\ty\tdistance", *lines]) + "\n"


def test_units_are_those_of_the_class(dbg, vectors):
    assert dbg("som", "table.tsv", "-q") == (0, expected(vectors, 20, 20), "")
    found = dbg("som", "table.tsv", "-q", "--map", "3x5", "--distance", "taxicab", "--topology", "plane", "--scale",
                "range", "--epochs", 4, "--start-radius", 2, "--end-radius", 0.5, "--seed", 9)  # fmt: skip
    wanted = expected(vectors, 3, 5, distance="taxicab", topology="plane", scale="range", epochs=4, start_radius=2.0,
                      end_radius=0.5, seed=9)  # fmt: skip
    assert found == (0, wanted, "")


@pytest.mark.slow
def test_formats_of_a_table_give_the_same(dbg, vectors):
    first = dbg("som", "table.tsv", "-q", "--map", "4x4")
    assert first[0] == 0
    assert dbg("som", "table.npy", "-q", "--map", "4x4") == first
    assert dbg("som", "table.raw", "-q", "--map", "4x4", "--dtype", "f64", "--columns", 3) == first
    assert dbg("som", "named.tsv", "-q", "--map", "4x4", "--header", "--fields", "1,2,3") == first
    assert dbg("som", "named.tsv", "-q", "--map", "4x4", "--header", "--fields", "1,1,3")[1] != first[1]


def test_several_files_are_one_table(dbg, vectors, tmp_path):
    lines = (tmp_path / "table.tsv").read_text().splitlines(keepends=True)
    (tmp_path / "a.tsv").write_text("".join(lines[:7]))
    (tmp_path / "b.tsv").write_text("".join(lines[7:]))
    assert dbg("som", "a.tsv", "b.tsv", "-q", "--map", "4x4") == dbg("som", "table.tsv", "-q", "--map", "4x4")


def test_weights_and_u_matrix_are_saved(dbg, vectors, tmp_path):
    files = ("--weights", "w.npy", "--u-matrix", "u.npy")
    assert dbg("som", "table.tsv", "-q", "--map", "4x6", *files, "-o", "units.tsv")[0] == 0
    som = SelfOrganizingMap(4, 6).fit(vectors)
    assert np.array_equal(np.load("w.npy"), som.weights_)
    assert np.array_equal(np.load("u.npy"), som.u_matrix())
    assert (tmp_path / "units.tsv").read_text() == expected(vectors, 4, 6)


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("u.svg", b"<?xml"),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in (("u.png", b"\x89PNG"), ("u.pdf", b"%PDF"))),
    ],
)
def test_u_matrix_is_drawn(dbg, vectors, tmp_path, name, start):
    assert dbg("som", "table.tsv", "-q", "--map", "4x9", "--u-matrix", name)[0] == 0
    assert (tmp_path / name).read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("named.tsv", 64),
        ("named.tsv --header", 64),
        ("table.tsv --fields 9", 67),
        ("table.tsv --map 0x4", 2),
        ("table.tsv --map 4", 2),
        ("table.tsv --u-matrix u.txt.html", 2),
        ("table.tsv --u-matrix -", 2),
        ("table.tsv --weights w.tsv", 2),
        ("table.tsv --end-radius nan", 2),
        ("nan.tsv", 67),
        ("empty.tsv", 67),
        ("missing.tsv", 65),
        ("- -", 2),
    ],
)
def test_bad_input_is_two_lines(dbg, vectors, tmp_path, words, code):
    (tmp_path / "nan.tsv").write_text("1\t2\n3\tnan\n")
    (tmp_path / "empty.tsv").write_text("")
    found = dbg("som", *words.split(), "-q")
    assert (found[0], found[1], len(found[2].splitlines())) == (code, "", 2), found
    assert "unexpected" not in found[2]
