"""Activation functions, a module each."""
