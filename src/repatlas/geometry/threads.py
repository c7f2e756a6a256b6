"""One thread for BLAS while a measure computes.

numpy and scipy split products among all cores unless the environment says otherwise. The measures
make many small products, whose threads then spend most of their time waiting for one another. The
last bits of a product also depend on the number of threads. So each public function runs on one
thread of BLAS, and gives the same bits on any number of cores. Afterwards the number of threads is
what it was before.

BLAS has one number of threads for the whole process. Of measures that run in several threads of
Python, or inside of one another, the first sets it and the last sets it back. Without
threadpoolctl, which the measures do not need, the number of threads stays what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from functools import cache, wraps
from threading import Lock
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


@cache
def _blas() -> Any:
    """Return the libraries of BLAS in this process, or None without threadpoolctl."""
    # Imported here, since importing a measure loads numpy alone. scipy has another BLAS than numpy,
    # which can be found only once scipy is loaded.
    import scipy.linalg  # noqa: F401

    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return None
    return ThreadpoolController().select(user_api="blas")


def _one_thread() -> AbstractContextManager[Any]:
    found = _blas()
    return nullcontext() if found is None else found.limit(limits=1)


def _let_this_thread_set() -> None:
    """Take the right to set the number of threads. threadpoolctl 3.8 gives it to the thread that
    set the number first, which may still be busy with other work."""
    if _blas() is not None:
        from threadpoolctl import OpenBLASController

        if hasattr(OpenBLASController, "clear_controlling_thread"):
            OpenBLASController.clear_controlling_thread(force=True)


class _Inside:
    """The number of measures that run, and the limit while there are any."""

    def __init__(self) -> None:
        self.lock, self.number = Lock(), 0
        self.limit: AbstractContextManager[Any] = nullcontext()

    def __enter__(self) -> None:
        with self.lock:
            if not self.number:
                self.limit = _one_thread()
                self.limit.__enter__()
            self.number += 1

    def __exit__(self, *error: object) -> None:
        with self.lock:
            self.number -= 1
            if not self.number:
                _let_this_thread_set()
                self.limit.__exit__(None, None, None)


_inside = _Inside()


def on_one_thread(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Return the function with one thread of BLAS while it runs."""

    @wraps(function)
    def limited(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Returned:
        with _inside:
            return function(*args, **kwargs)

    return limited


def limit_all(package: dict[str, Any], names: Iterable[str]) -> None:
    """Replace the functions among these names of a package by functions on one thread. Modules of
    the package call each other without this limit."""
    for name in names:
        if isinstance(package[name], FunctionType):
            limited = on_one_thread(package[name])
            # pickle finds a function by its module and name.
            limited.__module__ = package["__name__"]
            package[name] = limited
