"""The report: one page of a study with its figures, captions and claims."""
