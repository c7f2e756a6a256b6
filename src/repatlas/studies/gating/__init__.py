"""Make Haste Slowly (Jarvis, Klein, Rosman and Saxe 2025): gated pathways and ReLU networks."""
