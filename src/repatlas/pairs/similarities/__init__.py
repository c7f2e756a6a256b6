"""Measures of two networks, from their layers for the same items: one per module.

Each has `rows(x, y, settings)`, which yields a Row for each number of two layers as `Seen`. DRAWS
is the number of random orders of the items for its noise floor; 0 for none. Some have ON, the set
of items that they are for, and SETTINGS, the settings that they read.
"""
