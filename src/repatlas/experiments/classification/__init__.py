"""Networks that learn to name images: multilayer perceptrons and small convolutional networks."""
