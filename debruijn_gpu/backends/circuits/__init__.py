"""Operations on Euler circuits, trails and linked lists."""
