"""The figures: fig01.py draws Figure 1 from its table, and so on. Each has `draw(table, style)`."""
