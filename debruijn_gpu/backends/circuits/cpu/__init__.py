"""Operations on Euler circuits, trails and linked lists: the CPU side."""
