"""Source distributions and wheels: built, checked, and tried."""
