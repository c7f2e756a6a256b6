"""What each figure of the study wants of the sweeps that it names: a module per figure."""
