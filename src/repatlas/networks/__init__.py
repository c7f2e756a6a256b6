"""Networks: activation functions, and the network with one hidden layer."""
