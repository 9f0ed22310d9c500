"""De Bruijn sequences and word lists from files and into files."""
