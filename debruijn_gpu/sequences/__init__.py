"""De Bruijn sequences and their kin, and look-and-say."""
