"""Theories of learning that predict a network from its start and its data. Each has a module."""
