"""The reference of the site has a page for each public function and class."""

import importlib
import pkgutil
import re

import pytest

from repatlas import atlas, geometry, inference, own, similarity

NOT_FOR_USERS = {
    *("Blocked", "cache_in_memory", "pair_products", "own_products", "product_float64"),
    *("squared_lengths", "SingleCentred", "variance", "Deleted", "is_inexact"),
    *("alignments_without_blocks", "assign_blocks", "interval_ends"),
}


def listed(repository, page):
    text = (repository / f"docs/reference/{page}.md").read_text(encoding="utf-8")
    return {name.rpartition(".")[2] for name in re.findall(r"^   ([\w.]+)$", text, re.MULTILINE)}


@pytest.mark.parametrize("module", [geometry, similarity, own, atlas])
def test_every_public_name_is_in_the_reference(repository, module):
    assert listed(repository, module.__name__.rpartition(".")[2]) == set(module.__all__)


def test_every_public_function_of_inference_is_in_the_reference(repository):
    found = set()
    for each in pkgutil.iter_modules(inference.__path__):
        module = importlib.import_module(f"repatlas.inference.{each.name}")
        for name, value in vars(module).items():
            is_ours = getattr(value, "__module__", "") == module.__name__
            if callable(value) and is_ours and not name.startswith("_"):
                found.add(name)
    assert listed(repository, "inference") == found - NOT_FOR_USERS
