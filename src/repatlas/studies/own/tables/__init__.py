"""The table behind each figure, a module per figure."""
