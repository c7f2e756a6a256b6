"""Learning dynamics of single neurons: the expected gradient in weight space."""
