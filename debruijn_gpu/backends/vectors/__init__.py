"""Operations on tables of fixed-point vectors: the steps of self-organizing maps, and counts of words in sequences."""
