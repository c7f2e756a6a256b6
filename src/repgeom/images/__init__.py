"""Real images (Figure 4C): data sets, the task of paired classes, and its measures."""
