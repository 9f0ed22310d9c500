"""Files for MultiQC, in the format of its custom content."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np

from debruijn_gpu.assembly.statistics import compositions
from debruijn_gpu.assembly_dir.multiqc import general_mqc, lengths_mqc, spectrum_mqc
from debruijn_gpu.kmers.spectrum import estimate
from tests.reports.assemblies import peaked_spectrum

STATS = compositions([b"ACGT" * 1000, b"GGC" * 200]).stats()


def test_general_statistics():
    found = estimate(peaked_spectrum(30))
    content = json.loads(general_mqc("<b>one</b>", STATS, 1, found, 400))
    assert content["plot_type"] == "generalstats"
    columns = {key for column in content["pconfig"] for key in column}
    values = content["data"]["<b>one</b>"]
    assert set(values) == columns
    assert (values["n_contigs"], values["n50_kbp"], values["n_circular"], values["insert_bp"]) == (2, 4, 1, 400)
    unknown = json.loads(general_mqc("x", compositions([]).stats(), 0, replace(found, peak=None), None))["data"]["x"]
    assert set(unknown) == {"n_contigs", "total_kbp", "n_circular"}


def test_spectrum():
    spectrum = peaked_spectrum(30)
    content = json.loads(spectrum_mqc("x", spectrum, estimate(spectrum)))
    assert (content["id"], content["plot_type"]) == ("dbg_spectrum", "linegraph")
    points = content["data"]["x"]
    assert points[0] == [1, int(spectrum.frequency[0])]
    assert max(x for x, _n in points) <= 4 * 31


def test_lengths():
    points = json.loads(lengths_mqc("x", np.array([500, 300, 200])))["data"]["x"]
    assert len(points) == 101
    assert [dict(points)[x] for x in (0, 50, 51, 80, 81, 100)] == [500, 500, 300, 300, 200, 200]
    assert json.loads(lengths_mqc("x", np.array([], int)))["data"]["x"][50] == [50, 0]
