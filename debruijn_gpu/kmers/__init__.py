"""k-mers: counting, the table, its spectrum."""
