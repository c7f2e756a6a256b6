"""What the command of a stage is told, to make a file of a plan."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from repatlas.artifacts import layout
from repatlas.artifacts.recipes.job import THEN
from repatlas.artifacts.recipes.networks import trains
from repatlas.operations.expected import Expected
from repatlas.plan.places import CohortTile, Tile
from repatlas.plan.plan import Plan


class Arguments:
    """The arguments that make the files of a plan, by their names."""

    def __init__(self, plan: Plan, expected: Mapping[Path, Expected]):
        self._plan, self._expected, self._results = plan, expected, Path(plan.results)

    def words_for(self, names: Iterable[Path], *shared: str) -> list[str]:
        """Return the arguments that make these files one after the other. The `shared` ones are
        for each of them."""
        parts = [[*self.words(name), *shared] for name in names]
        return [*(word for part in parts[:-1] for word in (*part, THEN)), *parts[-1]]

    def words(self, name: Path) -> list[str]:
        """Return the arguments that make a file."""
        wanted = self._expected[name]
        words = ["--job", wanted.job, "--name", str(name), "--output", str(wanted.path)]
        match wanted.stage:
            case "prepare":
                job = json.loads(wanted.job)
                source = self._plan.source(job["experiment"], job["data"])
                return [*words, "--source", json.dumps(source)]
            case "train":
                return [*words, "--data", *self._inputs_from(wanted, "prepare")]
            case "measure":
                runs = self._inputs_from(wanted, "train")
                return [*words, "--data", *self._inputs_from(wanted, "prepare"), "--runs", *runs]
            case "compare_networks" | "compare_files":
                return [*words, *self._sources_of_tile(self._plan.tile_of[name])]
            case "tabulate":
                metrics = self._inputs_from(wanted, "measure")
                pairs = self._inputs_from(wanted, "compare_networks", "compare_files")
                return [*words, "--metrics", *metrics, "--pairs", *pairs]
            case "judge":
                page = self._paths([name.with_suffix(".md")])
                return [*words, "--tables", *self._paths(wanted.inputs), "--page", *page]
            case "multiverse":
                return [*words, "--tables", *self._paths(wanted.inputs)]
            case _:
                source = "--table" if wanted.stage == "plot" else "--claims"
                png = self._paths([name.with_suffix(".png")])
                return [*words, source, *self._paths(wanted.inputs), "--png", *png]

    def _paths(self, names: Iterable[Path]) -> list[str]:
        return [str(self._expected[name].path) for name in names]

    def _inputs_from(self, wanted: Expected, *stages: str) -> list[str]:
        """Return the inputs that these stages have made."""
        return self._paths(n for n in wanted.inputs if self._expected[n].stage in stages)

    def _sources_of_tile(self, tile: Tile | CohortTile) -> list[str]:
        """Return the data and the runs of each shard of a tile, in their order. One file may be of
        several shards."""
        data = [self._plan.data_place(shard) for shard in tile.shards]
        places = [layout.DATA.format(experiment=e, data=d) for e, d in data]
        trained = [shard for shard in tile.shards if trains(shard.experiment)]
        runs = [layout.RUNS.format(**shard.place) for shard in trained]
        of_data, of_runs = (
            self._paths(self._results / place for place in each) for each in (places, runs)
        )
        return ["--data", *of_data, "--runs", *of_runs]
