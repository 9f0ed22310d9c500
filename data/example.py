"""Look at reads, contigs, graphs and spectra from Python.

From the top of the repository, `python data/example.py` writes the plots of the docs into `docs/pictures`. Or open
this file as a notebook (Jupyter with jupytext, VS Code, Spyder): `# %%` begins a cell, and what stands in its last line
is shown below it. It takes matplotlib (`pip install '.[plot]'`), and Graphviz's program `dot` for drawings of graphs.
"""

# %% What is used
import gzip
import shutil
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from debruijn_gpu import AssembleOptions, ReadInputs, RunOptions, assemble, backends, draw
from debruijn_gpu.graph.build import graph_from_dict
from debruijn_gpu.graph.generate import generate
from debruijn_gpu.graph.options import GenerateOptions
from debruijn_gpu.peptides.notation import parse_peptide
from debruijn_gpu.peptides.peaks import measured
from debruijn_gpu.peptides.residues import residue_masses
from debruijn_gpu.peptides.theoretical import spectrum
from debruijn_gpu.plots.contigs import draw_contigs
from debruijn_gpu.plots.kmer_spectrum import draw_kmer_spectrum
from debruijn_gpu.plots.mass_spectrum import PlotOptions, draw_spectrum

DATA = Path("data") if Path("data").is_dir() else Path()  # notebooks run where they are
READS = tuple(f"{DATA}/phix174_R{mate}.fastq.gz" for mate in (1, 2))
PICTURES = DATA.parent / "docs" / "pictures" if DATA.name else Path("pictures")
PICTURES.mkdir(parents=True, exist_ok=True)

run = RunOptions(backend="cpu")
backend = backends.load(run)
has_dot = shutil.which("dot") is not None


def save(name, draw, *what, **options):
    """Write a plot; its format follows from the file extension."""
    with open(PICTURES / name, "wb") as file:
        draw(file, Path(name).suffix[1:], *what, **options)


# %% From reads to contigs: the phage phiX174 is one circle of 5,386 bases
inputs = ReadInputs(first=READS[:1], second=READS[1:])
assembly = assemble(inputs, AssembleOptions(ks=(31,)), run)
assembly

# %% Its k-mers: those with errors occur once or twice, those of the genome around 27 times
kmers = assembly.counts.spectrum
save("kmer_spectrum.svg", draw_kmer_spectrum, kmers, title="31-mers of 1,077 pairs of reads of phiX174")
kmers


# %% How many reads does it take? More of them join the contigs, until there is one
def contigs_of_some(depth):
    """Contigs of the first reads only, so many over each base."""
    n_lines = 4 * (1077 * depth // 40)  # all are 40
    with TemporaryDirectory() as place:
        some = f"{place}/some.fastq"
        with open(some, "wb") as file:
            for path in READS:
                with gzip.open(path) as whole:
                    file.writelines(islice(whole, n_lines))
        return assemble(ReadInputs(single=(some,)), AssembleOptions(ks=(21,), min_contig_bp=50), run).contigs


lengths = {f"{depth}x": contigs_of_some(depth).lengths for depth in (4, 6, 8, 12)}
save("contigs.svg", draw_contigs, lengths, title="Contigs of phiX174, by the number of reads over each base")
lengths

# %% A graph of streets, and a round that uses each of them once
streets = graph_from_dict({"a": "bd", "b": "ce", "c": "a", "d": "b", "e": "f", "f": "a"})
if has_dot:
    draw(streets, euler=True).save(PICTURES / "euler.svg")
streets

# %% How it is found: edges in and out are paired at each crossing, and circles that arise are joined where they meet
if has_dot:
    draw(streets, circuits=True).save(PICTURES / "circles.svg")

# %% A de Bruijn graph: along its circuit, each word of three digits comes by once
words = generate(GenerateOptions(kind="debruijn", n=3, alphabet=2), backend)
if has_dot:
    draw(words, euler=True, edge_labels=True).save(PICTURES / "de_bruijn.svg")
words

# %% A cyclic peptide, the antibiotic tyrocidine B1: the masses of all its parts
peptide = parse_peptide("VKLFPWFNQY", residue_masses())
masses = spectrum(peptide, backend)
masses

# %% And what an instrument might see of them
random = np.random.default_rng(7)
seen = masses.masses[random.random(len(masses)) < 0.7]
peaks = np.concatenate([seen, random.integers(60, 1300, 12)])
found = measured(peaks, 0, intensities=random.gamma(1.5, size=len(peaks)))
title = "Tyrocidine B1, a cyclic peptide, above; a spectrum with noise below"
save("cyclospectrum.svg", draw_spectrum, masses, found, PlotOptions(title=title))
found
