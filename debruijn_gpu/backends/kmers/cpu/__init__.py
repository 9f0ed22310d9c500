"""Operations on k-mers: count, sort and store them: the CPU side."""
