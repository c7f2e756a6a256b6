"""The report: one page with the claims, the figures, and where both come from."""
