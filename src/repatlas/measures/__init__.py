"""What is measured of a network, one measure per module."""
