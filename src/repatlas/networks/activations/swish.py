"""Swish with beta = 0.5, u / (1 + exp(-u / 2)) (Ramachandran, Zoph and Le 2017). With beta = 1 it
is SiLU."""

from repatlas.networks.weighted import weighted

ACTIVATION = weighted(0.5, colour="#6BAF5B")
