"""How task structure and the nonlinearity jointly shape learned representational geometry."""

__version__ = "0.1.0"
