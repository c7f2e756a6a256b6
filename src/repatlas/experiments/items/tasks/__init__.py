"""Families of tasks: a few items each, all of them learned at once."""
