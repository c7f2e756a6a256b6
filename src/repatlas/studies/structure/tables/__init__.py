"""Tables, a module for each figure."""
