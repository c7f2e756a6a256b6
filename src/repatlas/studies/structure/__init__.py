""" "Task structure and nonlinearity jointly determine learned representational geometry" (ICLR 2024)."""
