"""The measures need numpy and scipy: here, and installed where no more is."""

import re
import sys
from email.parser import Parser
from zipfile import ZipFile

import pytest
from packages import Installed, python, wheel_of

GEOMETRY = """
import numpy as np
from repatlas import geometry as g
x, signs, table = np.eye(4) + np.arange(4.0), [1, 1, -1, -1], [[0, 0], [0, 1], [1, 0], [1, 1]]
draw = x, [0, 1, 2, 3]
print(g.alignment_of_kernels(g.centred_kernel(x), g.centred_kernel(x)),
      g.kernel_alignment(np.tile(x, (50, 1)), np.tile(x, (50, 1))),
      g.participation_ratio(g.centred_kernel(x)), g.participation_ratio_of_features(x),
      g.parallelism_score(x, table, 0), g.matched_parallelism_score(x, signs),
      g.ccgp(x, table, 0), g.matched_ccgp(*draw, signs), g.decoding_accuracy(draw, draw, signs))
trials, labels = np.tile(x, (5, 1)) + np.sin(np.arange(80.0)).reshape(20, 4), np.tile(table, (5, 1))
print(g.balanced_ccgp(trials, labels, 0).value, g.balanced_decoding(trials, labels, 0).value,
      g.corrected_parallelism_score(trials, labels, 0).value, g.chance_alignment(x, x),
      g.corrected_participation_ratio(trials),
      g.participation_ratio_of_halves(*g.halves_of_trials(trials, np.tile(range(4), 5))),
      g.crossnobis_distances(trials, np.tile(range(4), 5))[0, 1])
"""

SIMILARITY = """
import numpy as np
from repatlas import similarity as s
x, y = np.random.default_rng(0).standard_normal((2, 60, 3))
other = x[:20], y[:20]
print(s.canonical_correlations(x, y).mean(), s.canonical_variates(x, y).correlations.mean(),
      s.svcca(x, y).similarity, s.pwcca(x, y), s.unit_correlations(x, y).mean(),
      s.matching(x, y).correlations.mean(), s.semi_matching(x, y).correlations.mean(),
      s.gaussian_kernel_alignment(x, y), s.minibatch_kernel_alignment([(x, y)]),
      s.noise_floor(s.pwcca, x, y).mean, s.multiple_correlations(x, y, other).mean(),
      s.code_classes(s.sparse_prediction(x, y, other)).layer_predictors)
"""

LOOK_UP = """
import numpy as np
from repatlas.atlas import look_up
rng = np.random.default_rng(0)
square = np.array([[1, 1], [-1, -1], [1, -1], [-1, 1]]) @ rng.standard_normal((2, 40))
print(look_up(square, [1, 1, 0, 0]))
"""

MEASURED = {"geometry": (GEOMETRY, 16), "similarity": (SIMILARITY, 12)}
"""What measures each package has, and how many numbers they print."""

NEEDED = ("numpy", "scipy")

BLOCKED = """
import sys

class Blocked:
    allowed = {"numpy", "scipy", "repatlas", *sys.stdlib_module_names}

    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        # The standard library's own names have one for each platform besides.
        if top not in self.allowed and not top.startswith("_sysconfigdata"):
            raise ImportError(name + " is blocked", name=name)

sys.meta_path.insert(0, Blocked())
"""


def top_names(modules):
    return {name.partition(".")[0] for name in modules.split()}


@pytest.fixture(scope="module")
def wheel(repository, tmp_path_factory):
    return wheel_of(repository, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    return Installed(wheel, tmp_path_factory.mktemp("installed"))


@pytest.fixture(scope="module")
def light(wheel, tmp_path_factory):
    return Installed(wheel, tmp_path_factory.mktemp("light"), "own")


packages = pytest.mark.parametrize("package", MEASURED)


@packages
def test_importing_the_measures_loads_numpy_alone(package):
    loaded = top_names(python(f"import repatlas.{package}, sys; print(*sys.modules)"))
    third_party = {name for name in loaded - set(sys.stdlib_module_names) if name[0] != "_"}
    assert third_party - top_names(python("import sys; print(*sys.modules)")) == {
        "numpy",
        "repatlas",
    }


@packages
def test_every_measure_works_where_nothing_else_can_be_imported(package):
    script, numbers = MEASURED[package]
    assert len(python(BLOCKED + script).split()) == numbers


@pytest.mark.slow
@packages
def test_the_wheel_measures_in_an_environment_of_what_it_needs(installed, package):
    where = installed.run("import repatlas; print(repatlas.__file__)")
    assert where.startswith(str(installed.packages))
    script, _ = MEASURED[package]
    assert installed.run(script) == python(BLOCKED + script)


@pytest.mark.slow
def test_the_readmes_notebook_runs_where_neither_snakemake_nor_torch_is(light, repository):
    assert light.needed >= {*NEEDED, "pandas"}
    assert not light.needed & {"snakemake", "torch", "pyarrow"}
    readme = (repository / "README.md").read_text(encoding="utf-8")
    [notebook] = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    printed = light.run(notebook.replace("draws=99", "draws=2"))
    for measure in ("decoding", "ccgp"):
        assert measure in printed


@pytest.mark.slow
def test_a_geometry_is_looked_up_where_neither_snakemake_nor_torch_is(wheel, tmp_path):
    place = Installed(wheel, tmp_path, "own,files")
    assert not place.needed & {"snakemake", "torch", "jinja2"}
    assert "distance to the nearest network" in place.run(LOOK_UP)


@pytest.mark.slow
def test_the_wheel_says_whose_it_is_and_has_types_and_fonts(wheel):
    with ZipFile(wheel) as file:
        names = file.namelist()
        (name,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        said = Parser().parsestr(file.read(name).decode())
    assert {f"repatlas/{package}/py.typed" for package in MEASURED} <= {*names}
    fonts = {name.rpartition("/")[2] for name in names if name.startswith("repatlas/plots/fonts/")}
    assert len(fonts) == 4 and "LICENSE" in fonts
    assert said["Author"] == "The repatlas developers"
    assert said["Requires-Python"] == ">=3.11"
    assert "Programming Language :: Python :: 3.14" in said.get_all("Classifier")
    assert said["Keywords"] and said["Project-URL"]
