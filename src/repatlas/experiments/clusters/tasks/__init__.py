"""Tasks: a few clusters of inputs with binary labels, a family of tasks in each module."""
