"""Training: the data of a seed, the batched engine, and the plain loop that checks it."""
