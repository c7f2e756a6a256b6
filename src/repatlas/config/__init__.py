"""What the config may say, typed, and how a wrong one is refused."""
