"""Our measures of pairs beside the usual tools', on the same arrays.

The tools have an environment of their own, .bench-env, which a full run makes from other_tools.txt.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from measuring import ROOT, in_a_process, markdown
from own import run, write_layers

ENVIRONMENT = ROOT / ".bench-env"
PINNED = Path(__file__).with_name("other_tools.txt")
ITEMS, FEATURES = 10_000, 512
LAYERS = {"all_pairs": 10, "torch_cka": 10, "rsatoolbox": 3, "rsatoolbox_bootstrap": 3}
FEWER = 1000
"""Items of the bootstrap, which makes the distances of each of its samples."""
WHAT = {
    "all_pairs": "`aligned_pairs`: debiased alignment of all items, its 95 % interval (jackknife"
    " over items), the plain alignment and its chance level",
    "torch_cka": "torch_cka 0.21, `CKA.compare`: debiased in batches of 256 items, one ratio of"
    " sums; no interval, no chance level; each pair twice",
    "rsatoolbox": "rsatoolbox 0.3.2, `calc_rdm` and `compare`: cosine of squared Euclidean"
    " distances, another similarity, biased by noise; no interval, no chance level",
    "rsatoolbox_bootstrap": "rsatoolbox 0.3.2, `eval_bootstrap_pattern`: the same with the standard"
    " error of 100 bootstrap samples of items",
}


def report(smoke: bool = False) -> str:
    """The section, in Markdown."""
    reason = "" if smoke else install()
    if not ENVIRONMENT.exists():
        reason = reason or ".bench-env is not there: a full run makes it"
    items, features = (100, 8) if smoke else (ITEMS, FEATURES)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        write_layers(Path(folder), max(LAYERS.values()), items, features)
        for tool in LAYERS:
            number = items
            if tool == "rsatoolbox_bootstrap":
                number = min(items, FEWER)
                rows.append(row("all_pairs", short(Path(folder), number), number, reason))
            rows.append(row(tool, Path(folder), number, reason))
    return "\n\n".join(
        [
            "## Beside the usual tools",
            f"The same layers for all, items x {features} features in single precision, one thread."
            " *CPU* is that of the call, imports and reading not counted; *memory* is that of the"
            " process, arrays included. They do not compute the same, so that values differ:"
            " the value is that of the first two layers. netrep is not on PyPI, and is left out.",
            markdown(["", "layers", "items", "pairs", "CPU, s", "CPU, ms a pair", "memory, MB",
                      "value"], rows),
        ]
    )  # fmt: skip


def row(tool: str, folder: Path, items: int, reason: str) -> list:
    layers = LAYERS[tool]
    pairs = layers * (layers - 1) // 2
    known = [WHAT[tool], layers, f"{items:,}", pairs]
    if tool == "all_pairs":
        found = run(tool, folder, layers)
    elif reason:
        return [*known, f"not run: {reason}", "", "", ""]
    else:
        command = [ENVIRONMENT / "bin/python", Path(__file__).with_name("tools.py"), tool, folder]
        try:
            found = in_a_process([*map(str, command), str(layers), str(items)])
        except (MemoryError, TimeoutError) as error:
            return [*known, f"ended: {error}", "", "", ""]
    cpu = found.answer["cpu"]
    return [*known, cpu, 1000 * cpu / pairs, found.resident, found.answer["value"]]


def short(folder: Path, items: int) -> Path:
    """The first items of the layers, in files of their own."""
    import numpy as np

    (folder / "short").mkdir()
    for path in sorted(folder.glob("*.npy")):
        np.save(folder / "short" / path.name, np.load(path)[:items])
    return folder / "short"


def install() -> str:
    """Makes the environment, unless it is there; returns why it could not be made."""
    if (ENVIRONMENT / "made").exists():
        return ""
    shutil.rmtree(ENVIRONMENT, ignore_errors=True)
    made = subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT])
    pip = [ENVIRONMENT / "bin/pip", "install", "--quiet", "--disable-pip-version-check"]
    if made.returncode or subprocess.run([*pip, "-r", PINNED]).returncode:
        shutil.rmtree(ENVIRONMENT, ignore_errors=True)
        return "its environment could not be made"
    (ENVIRONMENT / "made").touch()
    return ""


if __name__ == "__main__":
    print(report())
