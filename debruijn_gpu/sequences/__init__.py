"""De Bruijn sequences and their variants, and look-and-say."""
