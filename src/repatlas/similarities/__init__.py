"""Measures of two networks, by what they make of the same items: one per module.

Each has `rows(x, y, settings)`, which yields a Row for each number of two layers as `Seen`, and
DRAWS, how many random orders of the items its noise floor is the mean over; 0 for none. Some have
ON, the set of items that they are for, and SETTINGS, which of the settings they read.
"""
