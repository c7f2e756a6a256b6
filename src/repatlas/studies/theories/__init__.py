"""The study of theories against networks."""
