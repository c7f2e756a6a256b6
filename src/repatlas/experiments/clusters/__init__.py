"""Networks with full layers on a few Gaussian clusters of inputs."""
