"""Pairs of networks: which are compared, what experiments show of a network, and the measures in
`similarities`."""
