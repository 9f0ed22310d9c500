"""Operations on plain arrays: sort, scan, select, count, look up."""
