"""The base of all jobs. The text of a job is all that a result depends on."""

import json
import os
from typing import ClassVar, Self

from repatlas.artifacts import running
from repatlas.artifacts.provenance import code, code_of
from repatlas.record import Record, Refused

ACCEPTED = "REPATLAS_ACCEPT_CODE"
"""The environment variable that holds the config's accept_code, as JSON, for the jobs."""
THEN = "--then"
"""Stands between the arguments of two jobs that a command does one after the other."""


class Job(Record):
    """The base of all jobs."""

    stage: ClassVar[str]
    code: str = ""
    """The fingerprint of its code."""

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the job of a text, and import its modules. Refuse it if the code changed since it
        was planned, as `check_sources` will before the result is written."""
        try:
            values = json.loads(text)
        except json.JSONDecodeError as error:
            raise Refused(f"--job: found no JSON ({error})") from None
        job = cls.model_validate(values)
        now = job.with_code(accepted_now()).code
        if now != job.code:
            raise Refused(
                f"the code of this stage changed while the workflow was running (planned with"
                f" {job.code}, found {now}): start the same command again"
            )
        modules = sorted({*job.modules()})
        running.start(modules, code_of(*modules))
        return job

    @property
    def text(self) -> str:
        return json.dumps(self.model_dump(mode="json", exclude_none=True), sort_keys=True)

    def modules(self) -> list[str]:
        """Return the modules that its result depends on, without the modules that these import."""
        raise NotImplementedError

    def with_code(self, accepted: dict[str, dict[str, str]]) -> Self:
        """Return the job as of now, with the code that the config accepts instead of ours, if
        any."""
        return self.model_copy(update={"code": self.fingerprint(self.modules(), accepted)})

    def fingerprint(self, modules: list[str], accepted: dict[str, dict[str, str]]) -> str:
        """Return the fingerprint of these modules, or the one that the config accepts instead."""
        found = code(*sorted({*modules}))
        return accepted.get(self.stage, {}).get(found, found)


def accepted_now() -> dict[str, dict[str, str]]:
    """Return the config's accept_code, as a job finds it in its environment."""
    return json.loads(os.environ.get(ACCEPTED, "{}"))
