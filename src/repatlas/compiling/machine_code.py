"""Functions as machine code, which numba makes and keeps.

numba keeps the machine code in the __pycache__ folder of a function's source, or in the user's
cache. It makes new code if that source changed, but it does not check other files, or damage by a
power cut. It would unpickle and run any file that is there. So a digest of the machine code is kept
with the machine code. Code with a different digest is discarded.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any


def machine_code(
    function: Callable[..., Any], signature: Any, *sources: str, **options: Any
) -> Any:
    """Return the function as machine code, for arguments of one signature of numba's.

    Making it takes seconds, once; later processes load what is kept. sources: files, apart from the
    function's own, that the machine code is made from; options: further options of numba's njit.
    Raises ImportError without numba, and where NUMBA_DISABLE_JIT=1 keeps it from compiling.
    """
    from numba import config, njit

    if config.DISABLE_JIT:
        raise ImportError("numba is told to compile nothing")
    options = {"error_model": "numpy"} | options
    try:
        made = njit(cache=True, **options)(function)
    except RuntimeError:  # neither this folder nor the user's cache can be written to
        return njit(signature, **options)(function)
    kept = _Kept(Path(made.stats.cache_path), function, sources)
    kept.discard_other()
    made.compile(signature)
    made.disable_compile()  # otherwise numba makes other code for arguments that are functions
    kept.sign()
    return made


class _Kept:
    """The files with the machine code of a function."""

    def __init__(self, folder: Path, function: Callable[..., Any], sources: tuple[str, ...]):
        self.folder, self.sources = folder, [Path(__file__), *map(Path, sources)]
        module = Path(function.__code__.co_filename).stem
        # numba leaves out the brackets of "<locals>".
        name = f"{module}.{function.__qualname__}".replace("<", "").replace(">", "")
        self.files = f"{name}-*.nb[ic]"
        self.signature = folder / f"{name}.sha256"

    def discard_other(self) -> None:
        """Remove machine code that is damaged, or was made from other sources."""
        if not self._is_signed():
            for path in self.folder.glob(self.files):
                path.unlink(missing_ok=True)

    def sign(self) -> None:
        if not self._is_signed():
            temporary = self.signature.with_suffix(f".{os.getpid()}")
            temporary.write_text(self._digest())
            temporary.replace(self.signature)

    def _is_signed(self) -> bool:
        signature = self.signature
        return signature.is_file() and signature.read_text(errors="replace") == self._digest()

    def _digest(self) -> str:
        digest = hashlib.sha256(b"".join(path.read_bytes() for path in self.sources))
        for path in sorted(self.folder.glob(self.files)):
            digest.update(path.name.encode())
            with suppress(FileNotFoundError):  # another process has just discarded it
                digest.update(path.read_bytes())
        return digest.hexdigest()
