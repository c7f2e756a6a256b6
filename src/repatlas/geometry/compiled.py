"""Newton's method of newton.py as machine code, which numba makes and keeps.

BLAS and LAPACK are called through scipy's Cython interface instead of its Python interface.

numba keeps the machine code in the __pycache__ folder of newton.py, or in the user's cache. It
makes new code if newton.py changed, but it does not check this file, or damage by a power cut. It
would unpickle and run any file that is there. So a digest of the machine code and of this file is
kept with the machine code. Code with a different digest is discarded.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from repatlas.geometry import newton

KEPT = "newton.minimise-*.nb[ic]"  # numba's names for machine code and its index
SIGNATURE = "newton.minimise.sha256"  # the file of their digest


def compiled_minimise() -> Callable[..., tuple[NDArray[np.float64], bool]]:
    """Return newton.minimise as machine code, with the same parameters and results.

    Making it takes seconds, once; later processes load what is kept. Raises ImportError without
    numba, and where NUMBA_DISABLE_JIT=1 keeps it from compiling.
    """
    import llvmlite.binding
    from llvmlite import ir
    from numba import config, njit, types
    from numba.core import cgutils
    from numba.extending import get_cython_function_address, intrinsic, overload, register_jitable

    if config.DISABLE_JIT:
        raise ImportError("numba is told to compile nothing")

    def fortran(module, name):
        """Return a routine of scipy. It is called with a tuple, and everything is passed by
        address, numbers as well."""
        # By name, not by address: the kept code outlives this process.
        symbol = f"repatlas_{name}"
        address = get_cython_function_address(f"scipy.linalg.cython_{module}", name)
        llvmlite.binding.add_symbol(symbol, address)

        def generate(context, builder, signature, values):
            addresses = []
            kinds = signature.args[0]
            for kind, value in zip(kinds, cgutils.unpack_tuple(builder, values[0]), strict=True):
                if isinstance(kind, types.Array):
                    address = context.make_array(kind)(context, builder, value).data
                else:
                    if isinstance(kind, types.Integer):
                        value = context.cast(builder, value, kind, types.int32)
                    address = cgutils.alloca_once_value(builder, value)
                addresses.append(builder.bitcast(address, cgutils.voidptr_t))
            kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t] * len(addresses))
            builder.call(cgutils.get_or_insert_function(builder.module, kind, symbol), addresses)
            return context.get_dummy_value()

        @intrinsic
        def call(context, arguments):
            return types.void(arguments), generate

        return call

    dsyrk_ = fortran("blas", "dsyrk")
    dpotrf_ = fortran("lapack", "dpotrf")
    dpotrs_ = fortran("lapack", "dpotrs")
    lower, plain, transposed = (ord(letter) for letter in "LNT")

    @overload(newton._add_products)
    def _(matrix, rows, sign, dual):
        def implementation(matrix, rows, sign, dual):
            k, n = rows.shape
            if k == 0:
                return
            if dual:
                dsyrk_((lower, transposed, k, n, sign, rows, n, 1.0, matrix, k))
            else:
                dsyrk_((lower, plain, n, k, sign, rows, n, 1.0, matrix, n))

        return implementation

    @overload(newton._factorise)
    def _(matrix):
        def implementation(matrix):
            n, failed = len(matrix), np.zeros(1, np.int32)
            dpotrf_((lower, n, matrix, max(n, 1), failed))
            return failed[0] == 0

        return implementation

    @overload(newton._solve)
    def _(factor, right):
        def implementation(factor, right):
            n, failed = len(right), np.zeros(1, np.int32)
            dpotrs_((lower, n, 1, factor, max(n, 1), right, max(n, 1), failed))
            return right

        return implementation

    register_jitable(newton._line_search)
    matrix, vector = types.float64[:, ::1], types.float64[::1]
    signature = types.Tuple((vector, types.boolean))(
        matrix, vector, types.float64, vector, matrix, types.float64
    )
    try:
        function = njit(error_model="numpy", cache=True)(newton.minimise)
    except RuntimeError:  # neither this folder nor the user's cache can be written to
        return njit(signature, error_model="numpy")(newton.minimise)
    folder = Path(function.stats.cache_path)
    _discard_other(folder)
    function.compile(signature)
    _sign(folder)
    return function


def _discard_other(folder: Path) -> None:
    """Remove machine code that is damaged, or was made by another version of this file."""
    signature = folder / SIGNATURE
    if not signature.is_file() or signature.read_text(errors="replace") != _digest(folder):
        for path in folder.glob(KEPT):
            path.unlink(missing_ok=True)


def _sign(folder: Path) -> None:
    signature, digest = folder / SIGNATURE, _digest(folder)
    if not signature.is_file() or signature.read_text(errors="replace") != digest:
        temporary = signature.with_suffix(f".{os.getpid()}")
        temporary.write_text(digest)
        temporary.replace(signature)


def _digest(folder: Path) -> str:
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for path in sorted(folder.glob(KEPT)):
        digest.update(path.name.encode())
        with suppress(FileNotFoundError):  # another process has just discarded it
            digest.update(path.read_bytes())
    return digest.hexdigest()
