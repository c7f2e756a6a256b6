"""Makes machine code of functions in Python."""
