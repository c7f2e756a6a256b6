"""Our measures of pairs and the usual tools, on the same arrays.

The tools have a separate environment, .bench-env, which a full run makes from other_tools.txt.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from measuring import ROOT, in_a_process, markdown
from own import run, write_layers

ENVIRONMENT = ROOT / ".bench-env"
PINNED = Path(__file__).with_name("other_tools.txt")
FEATURES = 512
CASES = [
    ("all_pairs", 10, 10_000),
    ("torch_cka", 10, 10_000),
    ("all_pairs", 3, 10_000),
    ("netrep", 3, 10_000),
    ("rsatoolbox", 3, 10_000),
    ("all_pairs", 3, 1000),
    ("rsatoolbox_bootstrap", 3, 1000),
]
"""Tools, layers and items. The distances of 10,000 items take 400 MB a layer, as much as their
kernel. The bootstrap makes the distances of each sample."""
SMALL = 100, 8
"""Items and features that say whether it runs."""
WHAT = {
    "all_pairs": "ours, `aligned_pairs`: debiased alignment (CKA) of all items, its 95 % interval"
    " (jackknife over items), the plug-in alignment and its chance level",
    "torch_cka": "torch_cka 0.21, `CKA.compare`: debiased alignment of batches of 256 items, one"
    " ratio of sums; no interval, no chance level; each pair in both orders",
    "netrep": "netrep 0.0.2, `LinearCKA`: the angle of the plug-in alignment (the value is its"
    " cosine); no interval, no chance level",
    "rsatoolbox": "rsatoolbox 0.3.2, `calc_rdm` and `compare`: cosine of squared Euclidean"
    " distances, another similarity, plug-in; no interval, no chance level",
    "rsatoolbox_bootstrap": "rsatoolbox 0.3.2, `eval_bootstrap_pattern`: the same with the standard"
    " error of 100 bootstrap samples of items",
}


def report(smoke: bool = False) -> str:
    """Return the section, in Markdown."""
    reason = "" if smoke else install()
    if not (ENVIRONMENT / "made").exists():
        reason = reason or ".bench-env is not there: a full run makes it"
    with tempfile.TemporaryDirectory() as folder:
        most = max(items for *_, items in CASES)
        write_layers(Path(folder), 10, *(SMALL if smoke else (most, FEATURES)))
        rows = [
            row(tool, layers, min(items, SMALL[0]) if smoke else items, Path(folder), reason)
            for tool, layers, items in CASES
        ]
    return "\n\n".join(
        [
            "## Beside the usual tools",
            f"The same layers for all, items x {FEATURES} features in single precision, one thread."
            " *CPU* is that of the call, imports and reading not counted; *memory* is the most of"
            " the process, arrays included. They do not compute the same, so that values differ:"
            " the value is that of the first two layers. rsatoolbox and netrep have three layers,"
            " since the distances, or the kernel, of 10,000 items take 400 MB each.",
            markdown(["", "layers", "items", "pairs", "CPU, s", "memory, MB", "value"], rows),
        ]
    )


def row(tool: str, layers: int, items: int, folder: Path, reason: str) -> list:
    known = [WHAT[tool], layers, f"{items:,}", layers * (layers - 1) // 2]
    try:
        if tool == "all_pairs":
            found = run(tool, short(folder, items), layers)
        elif reason:
            return [*known, f"not run: {reason}", "", ""]
        else:
            program = Path(__file__).with_name("tools.py")
            command = [ENVIRONMENT / "bin/python", program, tool, folder, layers, items]
            found = in_a_process([str(word) for word in command])
    except (MemoryError, TimeoutError) as error:
        return [*known, f"ended: {error}", "", ""]
    if "missing" in found.answer:
        return [*known, f"not run: {found.answer['missing']} is not installed", "", ""]
    return [*known, found.answer["cpu"], found.resident, found.answer["value"]]


def short(folder: Path, items: int) -> Path:
    """Write the first items of the layers into separate files, and return their folder."""
    few = folder / str(items)
    if not few.exists():
        few.mkdir()
        for path in sorted(folder.glob("*.npy")):
            np.save(few / path.name, np.load(path)[:items])
    return few


def install() -> str:
    """Make the environment, unless it exists; remove it if this fails. Return the reason if it
    could not be made. Packages from repositories are installed after the others, and may be
    missing."""
    if (ENVIRONMENT / "made").exists():
        return ""
    shutil.rmtree(ENVIRONMENT, ignore_errors=True)
    made = subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT])
    pip = [ENVIRONMENT / "bin/pip", "install", "--quiet", "--disable-pip-version-check"]
    lines = PINNED.read_text().splitlines()
    packages = [line for line in lines if line and line[0] != "#"]
    published = [line for line in packages if "@" not in line]
    if made.returncode or subprocess.run([*pip, *published]).returncode:
        shutil.rmtree(ENVIRONMENT, ignore_errors=True)
        return "its environment could not be made"
    for line in set(packages) - set(published):
        subprocess.run([*pip, "--no-deps", line])
    (ENVIRONMENT / "made").touch()
    return ""


if __name__ == "__main__":
    print(report())
