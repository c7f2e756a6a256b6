"""Published data sets of images, one module each."""
