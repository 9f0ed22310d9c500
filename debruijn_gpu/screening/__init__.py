"""Screen reads: compare their k-mers with those of references, and filter, trim or mask what matches."""
