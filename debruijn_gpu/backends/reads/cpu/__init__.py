"""Operations on reads: parse, pack and store them: the CPU side."""
