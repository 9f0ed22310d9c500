"""Read pairs on the unitig graph: where mates lie, how far apart, and which unitigs follow each other."""
