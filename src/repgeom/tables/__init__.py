"""The table behind each figure: fig01.py makes the rows of Figure 1, and so on.

Each has `tabulate(rows, step)`: `rows` are the metrics of the figure's sweeps by their role,
`step` the training step that the figure shows, if the config names one.
"""
