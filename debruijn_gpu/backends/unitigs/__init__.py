"""Operations on unitigs: overlap, compact, clean and spell them."""
