"""Task structure and nonlinearity jointly determine learned representational geometry (2024)."""
