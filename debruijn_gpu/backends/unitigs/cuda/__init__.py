"""Operations on unitigs: overlap, compact, clean and spell them: the CUDA side."""
