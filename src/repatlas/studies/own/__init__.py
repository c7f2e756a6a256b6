"""Your own representations: arrays in files, measured and compared."""
