"""Operations on graphs in compressed sparse rows: the CPU side."""
