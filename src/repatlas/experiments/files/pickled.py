"""Files that are never read, since reading them may run any code, and the line that converts each.

The lines are for a file that the user made. They write a file next to it that this package reads.
"""

_PICKLE = (
    "import pickle, numpy as np; x = pickle.load(open({source!r}, 'rb')); "
    "np.savez({npz!r}, **(x if isinstance(x, dict) else {{'array': x}}))"
)
_JOBLIB = (
    "import joblib, numpy as np; x = joblib.load({source!r}); "
    "np.savez({npz!r}, **(x if isinstance(x, dict) else {{'array': x}}))"
)
_TORCH = (
    "import torch; from safetensors.torch import save_file; "
    "x = torch.load({source!r}, map_location='cpu', weights_only=True); "
    "save_file({{k: v.contiguous() for k, v in (x if isinstance(x, dict) else {{'array': x}})"
    ".items()}}, {safetensors!r})"
)
_OBJECT_ROWS = (
    "import numpy as np; x = np.load({source!r}, allow_pickle=True){key}; "
    "np.save({npy!r}, np.stack([np.asarray(row, dtype=float) for row in x]))"
)
_OBJECT_DICTIONARY = (
    "import numpy as np; x = np.load({source!r}, allow_pickle=True){key}.item(); "
    "np.savez({npz!r}, **x)"
)
_SPARSE = (
    "import numpy as np, scipy.sparse; "
    "np.save({npy!r}, scipy.sparse.load_npz({source!r}).toarray())"
)
LINES = {
    **dict.fromkeys(("pkl", "pickle", "p"), _PICKLE),
    "joblib": _JOBLIB,
    **dict.fromkeys(("pt", "pth", "bin", "ckpt"), _TORCH),
}
"""By suffix: the line of Python that converts such a file."""


def line(template: str, source: str, key: str = "") -> str:
    """Return the line with the names of the files in it.

    >>> line("np.load({source!r}){key} -> {npy!r}", "a/b.npz", key="c")
    "np.load('a/b.npz')['c'] -> 'a/b-c.npy'"
    """
    stem, _, suffix = source.rpartition(".")
    if key:
        stem = f"{stem}-{key.replace('/', '-')}"
    elif suffix == "npy":  # the file itself must not be overwritten
        stem = f"{stem}-plain"
    names = {name: f"{stem}.{name}" for name in ("npy", "npz", "safetensors")}
    return template.format(source=source, key=f"[{key!r}]" if key else "", **names)


def conversion(source: str, suffix: str) -> str:
    """Return the line that converts a file of this suffix."""
    return line(LINES[suffix], source)


def object_conversion(source: str, key: str | None, shape: tuple[int, ...]) -> str:
    """Return the line that converts a numpy array of Python objects: of rows, or a single
    dictionary."""
    return line(_OBJECT_ROWS if shape else _OBJECT_DICTIONARY, source, key or "")


def sparse_conversion(source: str) -> str:
    """Return the line that converts a sparse matrix of scipy, which scipy reads without pickle."""
    return line(_SPARSE, source)
