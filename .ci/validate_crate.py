"""Check a crate by the profile Workflow Run Crate: python .ci/validate_crate.py FOLDER

Needs roc-validator, and rocrate 0.11, which has the context of RO-Crate 1.1. The validator would
download the context; here nothing is downloaded.
"""

import json
import sys
from importlib.resources import files

from rocrate_validator import services
from rocrate_validator.models import Severity, ValidationSettings
from rocrate_validator.utils import http

URL = "https://w3id.org/ro/crate/1.1/context"
CONTEXT = json.loads(files("rocrate").joinpath("data/ro-crate.jsonld").read_text(encoding="utf-8"))
assert CONTEXT["@id"] == URL


class Answer:
    status_code, headers, ok = 200, {"Content-Type": "application/ld+json"}, True
    text = json.dumps(CONTEXT)

    def json(self):
        return CONTEXT


def get(self, url, **_):
    if url != URL:
        raise ConnectionError(f"{url}: nothing is downloaded")
    return Answer()


http.HttpRequester.get = get
settings = ValidationSettings(
    rocrate_uri=sys.argv[1],
    profile_identifier="workflow-run-crate",
    requirement_severity=Severity[sys.argv[2]] if len(sys.argv) > 2 else Severity.REQUIRED,
)
found = services.validate(settings)
for issue in found.get_issues():
    print(f"{issue.severity.name} {issue.check.identifier}: {issue.message}", issue.violatingEntity)
print(f"{sys.argv[1]}: {len(found.executed_checks)} checks, {len(found.get_issues())} issues")
sys.exit(not found.passed())
