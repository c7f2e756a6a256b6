"""The study of a law for activation functions."""
