"""What the tables of several figures share."""
