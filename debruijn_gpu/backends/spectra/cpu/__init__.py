"""Operations on mass spectra: masses of subpeptides and scores: the CPU side."""

from debruijn_gpu.backends.spectra.cpu.ideal import search_ideal as search_ideal
from debruijn_gpu.backends.spectra.cpu.masses import (
    complete_spectrum as complete_spectrum,
    count_below as count_below,
    count_masses as count_masses,
    sort_masses as sort_masses,
    sort_spectrum as sort_spectrum,
)
from debruijn_gpu.backends.spectra.cpu.scoring import (
    correlate_masses as correlate_masses,
    score_extensions as score_extensions,
    score_peptides as score_peptides,
)
