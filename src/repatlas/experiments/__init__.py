"""Kinds of networks, and how each comes about."""
