"""What each figure wants, a module per figure."""
