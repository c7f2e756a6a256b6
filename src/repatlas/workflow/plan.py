"""What a config asks for: each result with its recipe, which says all that it depends on.

A result's identity is a hash of its recipe. A recipe names its inputs by their identities. It is
made when it is asked for, since a job asks for a few of them.
"""

import json
import os
import sys
from collections.abc import Callable, Iterable
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from repatlas.artifacts.layout import MULTIVERSE, file_name, store_of
from repatlas.claims.claims_file import claims_path, read_claims
from repatlas.config.comparisons import NetworkComparison
from repatlas.config.config import Config
from repatlas.config.multiverse import number_of
from repatlas.config.representations import Comparison
from repatlas.config.sweeps import OfSweep
from repatlas.figures.figure import Options
from repatlas.named import named, trains
from repatlas.record import Refused
from repatlas.workflow import code, recipes, store
from repatlas.workflow.groups import Group, base_of, groups_of, sweeps_of


class Result:
    """The files of one job, which have one recipe: a figure as PDF and PNG, for example.

    inputs: the results that the recipe names, by role; after: results that only come before, since
    the job can use what is in them; what: the objects that the stage works with.
    """

    def __init__(
        self,
        stage: str,
        names: tuple[str, ...],
        make: Callable[[], dict[str, Any]],
        inputs: dict[str, list["Result"]] | None = None,
        after: Iterable["Result"] = (),
        what: Any = None,
    ):
        self.stage, self.names, self._make = stage, names, make
        self.inputs, self.after, self.what = inputs or {}, list(after), what

    @cached_property
    def recipe(self) -> dict[str, Any]:
        inputs = {role: [each.identity for each in of] for role, of in self.inputs.items()}
        about = {"stage": self.stage, "stage_code": code.stage_fingerprint(self.stage)}
        return about | self._make() | {"inputs": inputs}

    @cached_property
    def identity(self) -> str:
        return code.key(self.recipe)


class Plan:
    """All results of a config, by the names that users read, below the folder of results."""

    def __init__(self, config: Config, folder: str = "results"):
        self.config = config.as_trained()
        self.studies = self.config.studies
        self.store = store_of(folder)
        self.folder = Path(folder, *["preview"] * self.config.preview)
        self.results: dict[str, Result] = {}
        self._groups: dict[tuple[str, str], list[Group]] = {}
        self._by_label: dict[str, list[Group]] = {}
        self.pairs: dict[tuple[str, str], list[Result]] = {}
        self._wanted: dict[str, list[dict[str, Any]]] = {}
        self._fingerprint = code.accepted(self.config.accept_code)
        for study, of_study in self.studies.items():
            for sweep, grids in sweeps_of(of_study).items():
                self._groups[study, sweep] = [*groups_of(study, sweep, grids)]
        groups = [group for of_sweep in self._groups.values() for group in of_sweep]
        self._add_data(groups)
        for group in sorted(groups, key=lambda each: each.number):
            self._add_networks(group)
        for study in self.studies:
            self._add_comparisons(study)
            self._add_figures(study)
            self._add_multiverse(study)
            self._add_claims(study)
            self._add_report(study)

    def version(self, name: str) -> Path:
        """Return the place of the version of a file that the config and the code ask for."""
        return store.version(self.store, name, self.results[name].identity)

    def made(self, name: str) -> Path:
        """Return the link that the job of a file sets: the output of its rule."""
        return store.made(self.store, name, self.results[name].identity)

    def astray(self) -> list[str]:
        """Return the names that lead elsewhere than to their version, and say which hold a file of
        the user's. Changes nothing. Raises Refused."""
        found = self.orphans()
        for name in self.results:
            link, to = self.folder / name, self.version(name)
            if to.exists() and not to.is_file():
                raise Refused(f"{to}: is no file but a folder, or a pipe: remove it")
            if store.is_of_user(link, to):
                print(f"{link}: is a file of yours, and stays; ours is {to}", file=sys.stderr)
            elif os.path.lexists(link) or to.is_file():
                found += [] if store.leads_to(link, to) and to.is_file() else [name]
        return found

    def orphans(self) -> list[str]:
        """Return the names that lead to a version of theirs, though nothing in the config implies
        them. A link of the user's to a version has another name."""
        names = [name for name in store.links_in(self.folder) if name not in self.results]
        return [name for name in names if self._is_ours(name)]

    def _is_ours(self, name: str) -> bool:
        to = (self.folder / name).resolve()
        return to == store.version(self.store, name, to.stem).resolve()

    def set_links(self, names: Iterable[str]) -> None:
        """Let each of these names lead to its version, or remove the link if there is none. A file
        of the user's stays."""
        for name in names:
            link = self.folder / name
            if name not in self.results:
                if self._is_ours(name):  # perhaps a file of the user's by now
                    link.unlink(missing_ok=True)
                continue
            to = self.version(name)
            if to.is_file():
                store.set_link(link, to)
            elif not store.is_of_user(link, to):
                link.unlink(missing_ok=True)

    def code(self, *modules: str) -> str:
        """Return the fingerprint of these modules, or the one that the config accepts for it."""
        return self._fingerprint(*sorted({*modules}))

    def _add(self, *arguments: Any, **more: Any) -> Result:
        result = Result(*arguments, **more)
        self.results |= dict.fromkeys(result.names, result)
        return result

    # Data, training and measures of each group of networks.

    def _add_data(self, groups: list[Group]) -> None:
        by_name: dict[str, list[Group]] = {}
        for group in groups:
            by_name.setdefault(group.data, []).append(group)
        for name, own in by_name.items():
            self._add("prepare", (name,), partial(recipes.data, self, own), what=own)

    def wanted(self, groups: list[Group]) -> list[dict[str, Any]]:
        """Return what the data of these groups are, as at the first look: files may change."""
        if (name := groups[0].data) not in self._wanted:
            experiment, found = groups[0].experiment, {}
            prepare = named(f"experiments.{experiment}", "prepare")
            for group in groups:
                for grid, _ in group.grids:
                    about = grid.data(group.label, 0)[1]
                    if hasattr(prepare, "depends_on"):
                        about |= prepare.depends_on(about, self.source(experiment, about))
                    found[json.dumps(about, sort_keys=True)] = about
            self._wanted[name] = [found[text] for text in sorted(found)]
        return self._wanted[name]

    def source(self, experiment: str, about: dict[str, Any]) -> dict[str, Any]:
        """Return where the user's files of these data are; nothing for data that need none."""
        if experiment == "files":
            return {"digests": str(self.store / "digests.json")}
        found = self.config.image_sets.get(about.get("data_set"))
        return found.model_dump(mode="json") if found else {}

    def _add_networks(self, group: Group) -> None:
        inputs, after = {"data": [self.results[group.data]]}, self._smaller(group)
        if trains(group.experiment):
            before = [run for each in after for run in each.inputs["runs"]]
            make = partial(recipes.training, self, group)
            runs = self._add("train", (f"runs/{group.place}.json",), make, inputs, before, group)
            inputs = inputs | {"runs": [runs]}
        make = partial(recipes.measuring, self, group)
        name = f"metrics/{group.place}.parquet"
        self._add("measure", (name,), make, inputs, after, group)

    def _smaller(self, group: Group) -> list[Result]:
        """Return the metrics of smaller groups with networks of this one: these belong to the
        smallest group that has them. Smaller ones were added before."""
        others = self._by_label.setdefault(group.label, [])
        found = self._results_of("metrics", [each for each in others if group.shares(each)])
        others.append(group)
        return found

    def extra_steps(self, group: Group, seed: int) -> dict[str, list[int]]:
        """Return the steps at which other sweeps want networks of a group, by key, so that they
        are stored on the way. They are no part of its recipe."""
        last = {key: run.steps[-1] for key, run in group.networks(seed).items()}
        found: dict[str, list[int]] = {}
        for other in self._by_label[group.label]:
            if other.place != group.place and group.shares(other):
                for key, run in other.networks(seed).items():
                    if key in last:
                        own = found.setdefault(key, [])
                        own += [step for step in run.steps if step <= last[key]]
        return found

    def metrics_of(self, study: str, sweep: str) -> list[Result]:
        """Return the metrics of a sweep of a study, in the order of seeds."""
        return self._results_of("metrics", self._groups[study, base_of(sweep)])

    def _results_of(self, kind: str, groups: Iterable[Group]) -> list[Result]:
        """Return the results of a kind of these groups, each once."""
        suffix = {"runs": "json", "metrics": "parquet"}
        names = [g.data if kind == "data" else f"{kind}/{g.place}.{suffix[kind]}" for g in groups]
        return [self.results[name] for name in dict.fromkeys(names) if name in self.results]

    # Comparisons.

    def _add_comparisons(self, study: str) -> None:
        several: dict[str, list[Any]] = {}
        for comparison in self.studies[study].compare:
            several.setdefault(base_of(comparison.key), []).append(comparison)
        for name, own in several.items():
            if isinstance(own[0], NetworkComparison):
                self._add_cohorts(study, name, own)
            else:
                self._add_pairs_of_arrays(study, own[0])

    def _add_cohorts(self, study: str, name: str, comparisons: list[NetworkComparison]) -> None:
        """Add the pairs of each cohort of a comparison. The pairs of all settings of a
        multiverse are together."""
        sweeps = self.studies[study].sweeps
        cohorts = [(each, cohort) for each in comparisons for cohort in each.cohorts(sweeps)]
        between = dict.fromkeys(base_of(sweep) for each in comparisons for sweep in each.between)
        groups = [group for sweep in between for group in self._groups[study, sweep]]
        inputs = {kind: self._results_of(kind, groups) for kind in ("data", "runs")}
        is_multiverse = number_of(comparisons[0].key) is not None
        for own in [cohorts] if is_multiverse else [[each] for each in cohorts]:
            part = own[0][1].name if own and not is_multiverse else "settings"
            folder = file_name(name) if is_multiverse else comparisons[0].folder
            place = f"comparisons/{study}/{folder}/{part}.parquet"
            make = partial(recipes.cohorts, self, own)
            result = self._add("compare_networks", (place,), make, inputs, what=(groups, own))
            self.pairs.setdefault((study, name), []).append(result)

    def _add_pairs_of_arrays(self, study: str, comparison: Comparison) -> None:
        """Add the pairs of each group of the first set with the second; within a set,
        with the group itself and the groups before it."""
        first, second = (self._groups[study, sweep] for sweep in comparison.between)
        within = comparison.between[0] == comparison.between[1]
        for number, group in enumerate(first):
            others = first[:number] if within else second
            groups = [group, *others]
            place = f"comparisons/{study}/{comparison.folder}/{group.label}.parquet"
            make = partial(recipes.pairs_of_arrays, self, comparison, groups, within)
            inputs = {"data": self._results_of("data", groups)}
            what = comparison, groups, within
            result = self._add("compare_files", (place,), make, inputs, what=what)
            self.pairs.setdefault((study, comparison.key), []).append(result)

    # Figures, each with its table.

    def _add_figures(self, study: str) -> None:
        for name, options in self.studies[study].figures.items():
            inputs, what = self._drawn_by(study, options), (study, name, options)
            make = partial(recipes.figure, self, study, name, options)
            pictures = (f"{study}/figures/{name}.{suffix}" for suffix in ("pdf", "png"))
            names = (f"{study}/tables/{name}.parquet", *pictures)
            self._add("plot", names, make, inputs, what=what)

    def _drawn_by(self, study: str, *figures: Options) -> dict[str, list[Result]]:
        """Return the metrics and the pairs that figures draw."""
        sweeps = [name for each in figures for of in each.sweeps().values() for name in of]
        pairs = [name for each in figures for of in each.comparisons().values() for name in of]
        groups = [
            group
            for sweep in dict.fromkeys(map(base_of, sweeps))
            for group in self._groups[study, sweep]
        ]
        found = [
            pair
            for name in dict.fromkeys(map(base_of, pairs))
            for pair in self.pairs.get((study, name), [])
        ]
        return {"metrics": self._results_of("metrics", groups), "pairs": found}

    def grids_of(self, study: str, options: Options) -> list[OfSweep]:
        """Return the grids that a figure draws, also in its comparisons."""
        of_study = self.studies[study]
        names = [name for of in options.sweeps().values() for name in of]
        compared = [key for of in options.comparisons().values() for key in of]
        names += [name for key in compared for name in of_study.comparison(key).between]
        return [grid for name in dict.fromkeys(names) for grid in of_study.sweeps[name]]

    # Claims.

    def _add_claims(self, study: str) -> None:
        figures = self.studies[study].figures
        known = read_claims(study).claims if figures and claims_path(study).exists() else []
        if not any(claim.figure in figures for claim in known):
            return
        drawn = [self.results[f"{study}/tables/{name}.parquet"] for name in sorted(figures)]
        names = tuple(f"{study}/claims/claims.{suffix}" for suffix in ("parquet", "md"))
        make = partial(recipes.claims, self, study)
        self._add("judge", names, make, {"figures": drawn}, what=study)

    def _add_multiverse(self, study: str) -> None:
        of_study = self.studies[study]
        settings = {n: o for n, o in of_study.tabulated.items() if n not in of_study.figures}
        if of_study.multiverse and settings:
            suffixes = ("pdf", "png", "md", "parquet")
            names = tuple(f"{study}/figures/{MULTIVERSE}.{suffix}" for suffix in suffixes)
            make = partial(recipes.multiverse, self, study, settings)
            inputs = self._drawn_by(study, *settings.values())
            self._add("multiverse", names, make, inputs, what=(study, settings))

    # The page of a study.

    def _add_report(self, study: str) -> None:
        """Add the page of a study."""
        names = [name for name in self.results if name.startswith(f"{study}/")]
        stages = {"figures": "plot", "claims": "judge", "multiverse": "multiverse"}
        own = [*dict.fromkeys(self.results[name] for name in names)]
        inputs = {role: [r for r in own if r.stage == stage] for role, stage in stages.items()}
        make = partial(recipes.report, self, study)
        self._add("write_report", (f"{study}/report.html",), make, inputs, what=study)

    # What a user may ask for.

    def products(self, study: str) -> list[str]:
        """Return the files of a study: figures, tables and claims, and what no figure draws."""
        drawn = {
            id(each)
            for result in self.results.values()
            if result.stage != "write_report"
            for of in result.inputs.values()
            for each in of
        }
        return [
            name
            for name, result in self.results.items()
            if result.stage != "write_report"
            and (name.startswith(f"{study}/") or (id(result) not in drawn and f"/{study}/" in name))
        ]

    def targets(self) -> dict[str, list[str]]:
        """Return the files of each target: all, reports, a study, a figure, a sweep, and a readable
        name."""
        found = {study: self.products(study) for study in self.studies}
        found["all"] = [name for of_study in found.values() for name in of_study]
        found["reports"] = [f"{study}/report.html" for study in self.studies]
        for name in (*found["all"], *found["reports"]):
            found[str(self.folder / name)] = [name]
        for study, of_study in self.studies.items():
            for figure in (*of_study.figures, MULTIVERSE):
                if drawn := self.results.get(f"{study}/figures/{figure}.pdf"):
                    found[f"{study}/{figure}"] = [*drawn.names]
        for (study, sweep), groups in self._groups.items():
            metrics = self._results_of("metrics", groups)
            # A figure comes before a sweep of the same name.
            found.setdefault(f"{study}/{sweep}", [each.names[0] for each in metrics])
        return found
