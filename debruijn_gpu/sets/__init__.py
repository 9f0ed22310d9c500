"""Sets of counted k-mers: combine and compare any number of them, range by range of codes."""
