"""The paper's claims, each with the statistic that tests it."""
