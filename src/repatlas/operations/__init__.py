"""Around a run: what is fresh, what it costs, what a cluster is asked for."""
