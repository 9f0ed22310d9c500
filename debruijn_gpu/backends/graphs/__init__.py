"""Operations on graphs in compressed sparse rows."""
