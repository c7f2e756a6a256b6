"""A workflow of many jobs does not spend its time on going through them."""

from typing import Any

DEFAULT = (100, 1)
"""Jobs, and seconds, of Snakemake's --max-jobs-per-timespan where nobody gives it."""


def lift_default_limit(scheduler: Any) -> None:
    """Take from Snakemake's scheduler its limit of 100 job starts a second, unless the user has set
    another one. No workflow here starts as many. But with a limit each job that ends leaves a
    timer, which goes through all ready jobs once a second for as long as some wait: after 1000 jobs
    this is done 1000 times a second (JobScheduler._schedule_reevalutation, Snakemake 9.27)."""
    limit = scheduler.job_rate_limiter
    if limit is not None and (limit.max_jobs, limit.timespan) == DEFAULT:
        scheduler.job_rate_limiter = None
