"""The sigmoid-weighted linear unit, u / (1 + exp(-u)) (Elfwing, Uchibe and Doya 2018)."""

from repatlas.networks.weighted import weighted

ACTIVATION = weighted(1.0, colour="#3B6E22")
