"""Reductions of arrays with more than two axes, each in the module that has its name.

A module has NEEDS_CHANNELS, True if it must know which axis the channels are. `reduced(block,
axis)` makes a pattern of each item of (m, ...) whose channels are this axis.
"""
