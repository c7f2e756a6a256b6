"""The rows of representations with what their braces stand for as columns: a module per
experiment."""
