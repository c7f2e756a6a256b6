"""What becomes of arrays with more than two axes, each in the module that has its name.

A module has NEEDS_CHANNELS, whether it must know which axis the channels are; `reduced(block,
axis)`, for rows (m, ...) whose channels are this axis; and `sizes(shape, axis)`, how many rows an
item of this shape, (1, ...), becomes, and of how many features.
"""
