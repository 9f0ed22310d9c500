"""Match the k-mers of reads against reference sequences."""
