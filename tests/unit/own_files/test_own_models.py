"""A torch model as a source of representations."""

import sys
from pathlib import Path

import numpy as np
import pytest
from selections import some

from repatlas.experiments.files.content import model_digest
from repatlas.experiments.files.spec import Representations
from repatlas.record import Refused

torch = pytest.importorskip("torch")
from repatlas.experiments.files.model import record  # noqa: E402

BUILDER = """
import torch
from torch import nn

torch.manual_seed(0)
IMAGES = torch.randn(10, 3, 8, 8)
NAMES = [f"image {n}" for n in range(10)]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 4, 3), nn.ReLU(inplace=True), nn.Dropout(0.5), nn.BatchNorm2d(4)
        )
        self.classifier = nn.Sequential(nn.Flatten(), nn.Linear(144, 5), nn.Linear(5, 2))
        self.unused = nn.Linear(2, 2)
        self.shared = nn.Tanh()

    def forward(self, x):
        return self.shared(self.shared(self.classifier(self.features(x))))


def loader(size=4, images=IMAGES):
    return torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(images, torch.zeros(len(images))), batch_size=size
    )


def build():
    return Net().train(), loader(), NAMES
"""


@pytest.fixture
def models(tmp_path, monkeypatch):
    """Write a module of the user's, to which a test may add lines."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(more=""):
        sys.modules.pop("my_models", None)
        (tmp_path / "my_models.py").write_text(BUILDER + more, encoding="utf-8")
        import importlib

        importlib.invalidate_caches()
        return importlib.import_module("my_models")

    yield write
    sys.modules.pop("my_models", None)


def refusal(layers=("features.*",), model="my_models:build", **options):
    with pytest.raises(Refused) as refused:
        record(model, list(layers), Path("acts"), **options)
    return str(refused.value)


def test_layers_are_what_the_model_gives_in_evaluation_mode(models):
    module = models()
    torch.manual_seed(7)
    shapes = record("my_models:build", ["features.*", "classifier.1"], Path("acts"))
    assert shapes["features.0"] == (10, 4, 6, 6) and shapes["classifier.1"] == (10, 5)
    torch.manual_seed(7)
    net = module.Net().eval()
    with torch.no_grad():
        hidden = net.features[0](module.IMAGES)
        wanted = net.classifier[:2](net.features[1:](hidden.clone()))
    np.testing.assert_allclose(np.load("acts/features.0.npy"), hidden, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(np.load("acts/classifier.1.npy"), wanted, rtol=1e-5, atol=1e-6)


def test_names_and_arrays_are_representations_at_once(models):
    models()
    record("my_models:build", ["features.*"], Path("acts"))
    values = {"model": "my_models:build", "layers": ["features.*"]}
    chosen = Representations.model_validate(values)
    with pytest.raises(Refused, match=r"^representations\.net: the layers of its model are not"):
        chosen.grid("net")
    layers = [f"features.{n}" for n in (3, 0, 1, 2)]
    Path("acts/layers.txt").write_text("".join(f"{layer}\n" for layer in layers))
    specs = chosen.recorded(Path("acts")).grid("net").specs()
    assert [spec.columns["layer"] for spec in specs] == layers


def test_a_table_is_joined_by_name(models, table):
    module = models()
    table("images.csv", image=module.NAMES[::-1], side=[*"lrlrlrlrlr"])
    record(
        "my_models:build", ["classifier.1"], Path("acts"), table=Path("images.csv"), item="image"
    )
    lines = Path("acts/rows.csv").read_text().splitlines()
    assert lines[:2] == ["image,side", "image 0,r"]


def test_the_model_is_left_as_it_was(models):
    module = models("net = Net().train()\n\ndef build():\n    return net, loader(), NAMES\n")
    record("my_models:build", ["classifier.1"], Path("acts"))
    assert module.net.training
    assert not any(each._forward_hooks for each in module.net.modules())


def test_memory_does_not_grow_with_the_items(models, monkeypatch):
    """No array of all items is ever made: what is written is a file that is mapped."""
    from repatlas.own import recording

    made = []
    plain = recording.open_memmap

    def watched(*arguments):
        made.append(plain(*arguments))
        return made[-1]

    monkeypatch.setattr(recording, "open_memmap", watched)
    models()
    record("my_models:build", ["features.*"], Path("acts"))
    assert len(made) == 4 and all(isinstance(each, np.memmap) for each in some(made))
    assert {len(each) for each in made} == {10}


@pytest.mark.parametrize("batch", ["a tensor", "a list", "a dictionary"])
def test_a_loader_gives_tensors_lists_or_dictionaries(models, batch):
    give = {"a tensor": "x", "a list": "[x, 0]", "a dictionary": "{'x': x}"}[batch]
    models(f"\ndef build():\n    return Net(), [{give} for x in IMAGES.split(5)], NAMES\n")
    assert record("my_models:build", ["classifier.1"], Path("acts")) == {"classifier.1": (10, 5)}


def test_bfloat16_is_written_as_float32(models):
    models(
        "\ndef build():\n    x = IMAGES.bfloat16().split(5)\n"
        "    return Net().bfloat16(), x, NAMES\n"
    )
    record("my_models:build", ["classifier.1"], Path("acts"))
    assert np.load("acts/classifier.1.npy").dtype == np.float32


def test_a_pattern_that_matches_nothing_is_refused_with_the_modules_there_are(models):
    models()
    sentence = refusal(["features.*", "clasifier.*"])
    assert sentence.startswith("layers: no module matches 'clasifier.*'; the model has 'features',")
    assert "'classifier.1'" in sentence


def test_a_layer_that_never_fires_is_refused_with_those_that_do(models):
    models()
    sentence = refusal(["unused"])
    assert sentence.startswith("layers: 'unused' never fire in a pass; those that do: 'features.0'")
    assert "'classifier.1'" in sentence and sentence.count("unused") == 1


def test_a_layer_that_fires_twice_is_refused(models):
    models()
    assert refusal(["shared"]) == (
        "layer 'shared': fires 2 times in a pass, and it is not known which is meant; allowed:"
        " layers that fire once"
    )


def test_randomness_in_evaluation_mode_is_refused(models):
    models(
        "\nclass Noisy(Net):\n    def forward(self, x):\n"
        "        return super().forward(x + torch.randn_like(x))\n"
        "\ndef build():\n    return Noisy(), loader(), NAMES\n"
    )
    assert refusal() == (
        "layer 'features.0': gives something else when the first batch is passed again, in"
        " evaluation mode; allowed: a model without randomness"
    )


def test_a_loader_that_shuffles_is_refused(models):
    models(
        "\ndef build():\n    data = torch.utils.data.TensorDataset(IMAGES)\n"
        "    mixed = torch.utils.data.DataLoader(data, batch_size=4, shuffle=True)\n"
        "    return Net(), mixed, NAMES\n"
    )
    assert "names and items would not belong together; allowed: shuffle=False" in refusal()


def test_a_loader_that_can_be_read_once_is_refused(models):
    models("\ndef build():\n    return Net(), iter(loader()), NAMES\n")
    assert "the loader can be read only once" in refusal()


BUILT = {
    "the loader has 10 items and there are 11 names": "Net(), loader(), [*NAMES, 'more']",
    "the loader has more items than the 9 names": "Net(), loader(), NAMES[:9]",
    "the items of my_models:build: 1 items are repeated ('image 0')": (
        "Net(), loader(), ['image 0', *NAMES[:9]]"
    ),
    "the loader has no batch": "Net(), [], NAMES",
    "my_models:build: returned tuple, allowed: model, loader, names": "Net(), loader()",
    "my_models:build: returned str first, allowed: a torch module": "'net', loader(), NAMES",
    "the loader gives str, allowed: a tensor, a list that begins": "Net(), ['a'], NAMES",
}


@pytest.mark.parametrize("sentence", BUILT)
def test_what_a_function_must_not_return_is_refused(models, sentence):
    models(f"\ndef build():\n    return {BUILT[sentence]}\n")
    assert refusal().startswith(sentence)


@pytest.mark.parametrize("model", ["my_modells:build", "my_models:biuld"])
def test_a_function_that_is_not_there_is_refused(models, model):
    models()
    assert refusal(model=model).startswith(f"model: cannot find '{model}' (")
    assert refusal(model=model).endswith("; is it on PYTHONPATH?")


TOKENS_FIRST = """
class TokensFirst(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = nn.LSTM(24, 6)
        self.out = nn.Linear(6, 2)

    def forward(self, x):  # as many tokens as items in a batch
        return self.out(self.block(x.flatten(2).reshape(len(x), 8, 24).permute(1, 0, 2))[0].mean(0))


NET = TokensFirst()


def build():
    return NET, loader(SIZE, IMAGES[:8]), NAMES[:8]
"""


@pytest.mark.parametrize("size", [8, 3, 1])
def test_the_axis_of_the_items_is_found_in_a_layer_that_has_the_tokens_first(models, size):
    module = models(TOKENS_FIRST.replace("SIZE", str(size)))
    record("my_models:build", ["block"], Path("acts"))
    seen = []
    module.NET.block.register_forward_hook(lambda _, __, out: seen.append(out[0][:, 0].detach()))
    for item in range(8):
        module.NET(module.IMAGES[item : item + 1])
    np.testing.assert_allclose(np.load("acts/block.npy"), np.array(seen), atol=1e-5)


def test_a_layer_that_squeezes_an_item_alone_is_recorded(models):
    models(
        "\nclass Squeezed(nn.Module):\n    def forward(self, x):\n"
        "        return x.mean((2, 3), keepdim=True).squeeze()\n"
        "\ndef build():\n    return nn.Sequential(Squeezed()), loader(5), NAMES\n"
    )
    assert record("my_models:build", ["0"], Path("acts")) == {"0": (10, 3)}


MIXING = {
    "the mean of the batch": "x - x.mean(0)",
    "the item before": "x + x.roll(1, 0)",
    "the place in the batch": "x * torch.arange(len(x))[:, None]",
    "the size of the batch": "x * len(x)",
}


@pytest.mark.parametrize("what", MIXING)
def test_a_layer_that_depends_on_other_items_of_the_batch_is_refused(models, what):
    models(
        "\nclass Mixing(nn.Module):\n    def forward(self, x):\n"
        f"        return {MIXING[what]}\n"
        "\ndef build():\n    net = nn.Sequential(nn.Flatten(), Mixing())\n"
        "    return net, loader(), NAMES\n"
    )
    assert "depends on the other items of its batch" in refusal(["1"])


def test_a_layer_that_gives_no_tensor_is_refused(models):
    models(
        "\nclass Words(nn.Module):\n    def forward(self, x):\n        return 'words'\n"
        "\nclass Talking(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.words = Words()\n"
        "    def forward(self, x):\n        return self.words(x)\n"
        "\ndef build():\n    return Talking(), loader(), NAMES\n"
    )
    assert refusal(["words"]).startswith("layer 'words': gives str, allowed: a tensor, or a tuple")


def test_a_layer_that_no_file_can_be_called_after_is_refused(models):
    models("\ndef odd():\n    return nn.ModuleDict({'a/b': nn.Linear(2, 2)}), loader(), NAMES\n")
    assert refusal(["a*"], model="my_models:odd").startswith("layer 'a/b': its array is a file")


@pytest.mark.parametrize(
    ("code", "model"),
    [
        ("def broken():\n    return 1 / 0", "my_models:broken"),
        ("1 / 0", "my_models:build"),
        (
            "class Broken(Net):\n    def forward(self, x):\n        return 1 / 0\n"
            "def broken():\n    return Broken(), loader(), NAMES",
            "my_models:broken",
        ),
        (
            "class Loader:\n    def __iter__(self):\n        yield IMAGES[:4]\n        1 / 0\n"
            "def broken():\n    return Net(), Loader(), NAMES",
            "my_models:broken",
        ),
        (
            "def names():\n    yield 1 / 0\ndef broken():\n    return Net(), loader(), names()",
            "my_models:broken",
        ),
    ],
    ids=["function", "module", "model", "loader", "names"],
)
def test_an_error_of_the_user_s_code_is_shown_as_theirs(models, capsys, code, model):
    models()
    with open("my_models.py", "a", encoding="utf-8") as file:
        file.write(code + "\n")
    sys.modules.pop("my_models")
    said = refusal(model=model)
    assert said == (
        f"in {model}, which is yours: ZeroDivisionError: division by zero (its traceback is above)"
    )
    told = capsys.readouterr().err
    assert told.startswith("Traceback (most recent call last):")
    assert "my_models.py" in told and "1 / 0" in told


def test_items_of_another_size_are_refused(models):
    models(
        "\ndef build():\n    wide = torch.randn(2, 3, 9, 9)\n"
        "    return Net().features, [IMAGES[:8], wide], NAMES\n"
    )
    assert refusal(["0"]) == (
        "layer '0': found shape (4, 7, 7) at item 'image 8' and (4, 6, 6) before; allowed: the same"
        " for all items"
    )


def test_a_table_that_lacks_an_item_is_refused(models, table):
    module = models()
    table("images.csv", image=module.NAMES[1:])
    assert refusal(table=Path("images.csv"), item="image") == (
        "images.csv: has no row for 1 items of the model ('image 0')"
    )
    assert refusal(table=Path("images.csv"), item="picture") == (
        "images.csv: has no column 'picture' (item), found: image"
    )


def test_nothing_is_left_of_a_pass_that_was_refused(models):
    models("\ndef build():\n    return Net(), loader(), NAMES[:9]\n")
    refusal()
    assert list(Path("acts").iterdir()) == []


def test_a_model_is_identified_by_its_code_and_the_files_that_it_reads(models, tmp_path):
    models()
    Path("weights.pt").write_bytes(b"1")
    before = model_digest("my_models:build", ["weights.pt"])
    assert model_digest("my_models:build", ["weights.pt"]) == before
    Path("weights.pt").write_bytes(b"2")
    other = model_digest("my_models:build", ["weights.pt"])
    models("WIDTH = 3\n")
    assert len({before, other, model_digest("my_models:build", ["weights.pt"])}) == 3


def test_a_model_or_file_that_is_not_there_is_refused(models):
    models()
    with pytest.raises(Refused, match=r"^model: found no module 'my_modells'; is it here"):
        model_digest("my_modells:build", [])
    with pytest.raises(Refused, match=r"^weights: weights\.pt: no such file$"):
        model_digest("my_models:build", ["weights.pt"])


def test_torch_is_loaded_by_no_other_module():
    import repatlas.experiments.files as room

    named = [
        path.name
        for path in Path(room.__file__).parent.rglob("*.py")
        if any(line.startswith(("import torch", "from torch")) for line in path.open())
    ]
    assert named == ["model.py"]
