"""Operations on graphs in compressed sparse rows: the CUDA side."""
