"""Pairs of networks: what experiments show of a network, and what measures of pairs see and say."""
