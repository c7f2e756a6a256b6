"""Reductions of arrays with more than two axes, each in the module that has its name.

A module has NEEDS_CHANNELS, True if it must know which axis the channels are. `reduced(block,
axis)` reduces rows (m, ...) whose channels are this axis. `sizes(shape, axis)` returns how many
rows an item of this shape, (1, ...), becomes, and how many features these have.
"""
