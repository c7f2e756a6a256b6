"""What each result is asked to hold: one typed job for each stage."""
