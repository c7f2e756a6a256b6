"""A workflow of many jobs does not spend its time on going through them."""

from typing import Any

DEFAULT = (100, 1)
"""Jobs, and seconds, of Snakemake's --max-jobs-per-timespan where nobody gives it."""


def lift_default_limit(scheduler: Any) -> None:
    """Remove the limit of 100 job starts a second from Snakemake's scheduler, unless the user has
    set another limit. No workflow here starts as many. With a limit, each job that ends leaves a
    timer, which goes through all ready jobs once a second while some wait. After 1000 jobs this
    happens 1000 times a second (JobScheduler._schedule_reevalutation, Snakemake 9.27)."""
    limit = scheduler.job_rate_limiter
    if limit is not None and (limit.max_jobs, limit.timespan) == DEFAULT:
        scheduler.job_rate_limiter = None
