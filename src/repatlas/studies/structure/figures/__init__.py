"""Drawings, a module for each figure."""
