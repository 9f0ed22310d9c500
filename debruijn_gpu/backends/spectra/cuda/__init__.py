"""Operations on mass spectra: masses of subpeptides and scores: the CUDA side."""
