"""Operations on words, necklaces, shift registers and look-and-say terms."""
