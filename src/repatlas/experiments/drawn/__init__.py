"""Networks on clusters whose activation is drawn at random, and named by its number."""
