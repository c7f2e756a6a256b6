"""Networks that learn a few items by full-batch gradient descent, and theories of that."""
