"""Measures of one representation, one per module, each by the estimator that is right for its rows.

Each has `rows(seen, settings)`, which takes Trials and yields a Result for each number, and for
each draw of its nulls.
"""
