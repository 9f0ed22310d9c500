"""Operations on reads: parse, pack and store them."""
