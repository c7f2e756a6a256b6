"""Newton's method of newton.py as machine code.

BLAS and LAPACK are called through scipy's Cython interface instead of its Python interface.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from repatlas.compiling.machine_code import machine_code
from repatlas.geometry import newton


def compiled_minimise() -> Callable[..., tuple[NDArray[np.float64], bool]]:
    """Return newton.minimise as machine code, with the same parameters and results.

    Making it takes seconds, once; later processes load what is kept. Raises ImportError without
    numba, and where NUMBA_DISABLE_JIT=1 keeps it from compiling.
    """
    import llvmlite.binding
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import get_cython_function_address, intrinsic, overload, register_jitable

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
    register_jitable(newton._diagonal)
    matrix, vector = types.float64[:, ::1], types.float64[::1]
    signature = types.Tuple((vector, types.boolean))(
        matrix, vector, types.float64, vector, matrix, types.float64, types.float64
    )
    function: Callable[..., tuple[NDArray[np.float64], bool]]
    # numba looks for changes in newton.py alone.
    function = machine_code(newton.minimise, signature, __file__)
    return function
