"""Operations on mass spectra: masses of subpeptides and scores: the CPU side."""
