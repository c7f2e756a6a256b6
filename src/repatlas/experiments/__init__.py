"""The experiments: architectures with their tasks and training."""
