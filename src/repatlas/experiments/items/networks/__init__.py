"""Kinds of networks: trained by gradient descent, or theories, whose training is a formula."""
