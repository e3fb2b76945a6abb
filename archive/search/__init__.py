"""Full-text, exact and filtered search over the archive, through indexes derived from its log."""
