"""The drawing of each figure, from its table alone: a module per figure."""
