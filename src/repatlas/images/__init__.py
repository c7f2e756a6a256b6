"""Published images, and training on them."""
