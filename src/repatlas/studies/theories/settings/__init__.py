"""The rows of a sweep with the settings of its networks as columns: a module per experiment."""
