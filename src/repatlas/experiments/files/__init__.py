"""Representations that a user brings: arrays in files, or the layers of a torch model."""
