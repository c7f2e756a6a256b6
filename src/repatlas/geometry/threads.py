"""One thread for BLAS while a measure computes.

numpy and scipy split products among all cores unless the environment says otherwise. The measures
make many small products, whose threads then spend most of their time waiting for one another. The
last bits of a product also depend on the number of threads. So each public function runs on one
thread of BLAS, and gives the same bits on any number of cores. Afterwards the number of threads is
what it was before.

BLAS has one number of threads for the whole process, which threadpoolctl lets one thread of Python
set at a time. Of measures that run in several threads of Python the first sets it. Without
threadpoolctl, which the measures do not need, the number of threads stays what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from functools import cache, wraps
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")
_limited: ContextVar[bool] = ContextVar("BLAS has one thread here", default=False)
"""A new thread of Python starts with False, and sets the limit itself."""


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


def on_one_thread(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Return the function with one thread of BLAS while it runs.

    Inside of another such function it runs as it is, since a null calls a measure a thousand times.
    """

    @wraps(function)
    def limited(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Returned:
        if _limited.get():
            return function(*args, **kwargs)
        with _one_thread():
            token = _limited.set(True)
            try:
                return function(*args, **kwargs)
            finally:
                _limited.reset(token)

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
