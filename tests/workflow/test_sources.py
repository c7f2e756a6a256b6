"""A run in an empty folder, fed by a bundle: nothing is trained, and all is as it was."""

import shutil

import pytest


@pytest.fixture
def bundle(done, tmp_path):
    ended = done.ask("bundle", "--into", str(tmp_path / "bundle"), "--networks")
    assert ended.returncode == 0, ended.stdout
    return tmp_path / "bundle"


def use(project, bundle):
    project.edit_config(lambda values: values.update(sources=[str(bundle)]))


@pytest.mark.slow
def test_an_empty_folder_gets_all_figures_from_a_bundle_and_runs_no_job(fresh, done, bundle):
    use(fresh, bundle)
    said = fresh.snakemake("--dry-run").stdout
    assert "A run would first fetch " in said
    assert not fresh.results.exists()
    fresh.run()
    assert not (fresh.results / "logs").exists(), "no job ran"
    for folder in ("structure/figures", "structure/tables", "structure/claims"):
        assert fresh.contents(folder) == done.contents(folder)
    assert not (fresh.results / "store/runs").exists(), "no figure needs its networks any more"


@pytest.mark.slow
def test_another_width_of_figures_is_drawn_from_fetched_tables(fresh, bundle):
    use(fresh, bundle)
    fresh.edit_config(lambda values: values["style"].update(width=6.0))
    fresh.run()
    assert {path.name for path in (fresh.results / "logs").iterdir()} <= {"plot", "plot_claims"}


@pytest.mark.slow
def test_more_networks_than_a_bundle_has_are_trained_and_no_others(fresh, bundle):
    use(fresh, bundle)

    def add_a_value(values):
        values["sweeps"]["noise"]["task"]["noise_variance"] = [0.0, 1.0, 4.0]

    fresh.edit_config(add_a_value)
    fresh.run()
    assert set(fresh.trained()["noise_variance"]) == {4.0}
    assert not list(fresh.results.glob("store/runs/clusters/unstructured*"))


@pytest.mark.slow
def test_a_wrong_byte_in_a_bundle_ends_the_run_in_a_sentence(fresh, bundle):
    use(fresh, bundle)
    table = next(bundle.glob("structure/tables/fig02/*.parquet"))
    content = bytearray(table.read_bytes())
    content[len(content) // 2] ^= 1
    table.unlink()  # it is the file of a store, under another name
    table.write_bytes(content)
    assert f"{bundle}/{table.relative_to(bundle)}: its SHA-256 is not what" in fresh.fail()
    assert not list(fresh.results.glob("store/structure/tables/fig02/*"))
    shutil.rmtree(bundle)
    assert f"{bundle}/index.json: No such file or directory; this" in fresh.run("--dry-run")
