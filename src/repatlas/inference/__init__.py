"""Statements about networks: means, intervals, differences, nulls."""
