"""accept: the `accept_code` of the config that keeps the results of some stages as they are.

For use after a refactoring that is proven to change no result. Prints, for each stage, the
fingerprints of the present code and the fingerprints in the headers of the files, to be copied into
the config. Jobs that differ in the task, activation, measure or figure have separate fingerprints.
If several versions of the code made files, the version that made most of them is printed.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator

from repatlas.artifacts.files import Unreadable
from repatlas.artifacts.recipes.job import Job
from repatlas.artifacts.recipes.networks import MeasureJob, ShardJob
from repatlas.artifacts.recipes.pairs import CompareJob, CompareNetworksJob
from repatlas.artifacts.versions import versions
from repatlas.operations.expected import expected_files
from repatlas.operations.freshness import job_of, stated
from repatlas.operations.options import parser_of, read_plan
from repatlas.plan.plan import Plan
from repatlas.record import Refused


def main(arguments: list[str]) -> None:
    parser = parser_of("accept", __doc__)
    parser.add_argument("--stages", default="", help="their names, with spaces between")
    options = parser.parse_args(arguments)
    block = accepted(read_plan(options), options.stages.split())
    if not block:
        print("nothing to accept: what there is was made by the code as it is")
        return
    print("accept_code:")
    for stage, codes in block.items():
        # In quotes: YAML takes 123456789012 for a number.
        pairs = ", ".join(f'"{new}": "{old}"' for new, old in codes.items())
        print(f"  {stage}: {{{pairs}}}")


def accepted(plan: Plan, stages: list[str]) -> dict[str, dict[str, str]]:
    """Return, by stage, the fingerprint of the present code and of the code that made the files."""
    found: dict[tuple[str, str], Counter] = defaultdict(Counter)
    files = expected_files(plan)
    known = list(dict.fromkeys(wanted.stage for wanted in files.values()))
    if not stages or set(stages) - set(known):
        given = f"found {' '.join(stages)!r}" if stages else "missing"
        raise Refused(f"STAGES: {given}, allowed: {', '.join(known)}")
    for wanted in files.values():
        # The newest version, since the code as it is has made none yet.
        for path in versions(wanted.path)[:1] if wanted.stage in stages else ():
            try:
                header = stated(path, wanted.stage)
            except Unreadable:
                continue  # made again in any case
            for new, old in _codes(job_of(wanted), header):
                found[wanted.stage, new][old] += 1
    block: dict[str, dict[str, str]] = {}
    for (stage, new), olds in found.items():
        old = olds.most_common(1)[0][0]
        if old != new:
            block.setdefault(stage, {})[new] = old
    return block


def _codes(job: Job, header: dict) -> Iterator[tuple[str, str]]:
    """Yield pairs of fingerprints: of the present code, and of the code when the file was made. The
    first pair is of the file, the others are of each network or, for comparisons, each measure."""
    yield job.with_code({}).code, header["job"]["code"]
    if isinstance(job, CompareJob | CompareNetworksJob):
        made_by = header["basis"]["measures"]
        for name, modules in job.modules_of_measures().items():
            if name in made_by:
                of_measure = made_by[name]
                old = of_measure if isinstance(job, CompareJob) else of_measure["code"]
                yield job.fingerprint(modules, {}), old
        return
    if not isinstance(job, ShardJob):
        return
    own = job.own_modules()
    for key, run in job.wanted().items():
        about = header["runs"].get(key)
        if about and isinstance(job, MeasureJob):
            for name in about["measures"].keys() & run.measures.keys():
                modules = job.modules_of(run.spec, name)
                yield job.fingerprint(modules, {}), about["measures"][name]["code"]
        elif about:
            yield job.fingerprint([*own, *run.spec.modules()], {}), about["basis"]["code"]
