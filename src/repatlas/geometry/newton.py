"""Newton's method for the squared-hinge SVM: one source, run by numpy or compiled by numba.

For rows x_i that end in a feature of ones, the weights v minimise

    1/2 |v|^2 + C sum_i max(0, s_i)^2,   with the slacks s_i = 1 - y_i x_i . v

On the active rows A, those with s_i > 0, this is a ridge regression with Hessian 2C (A^T A + r),
r = 1/(2C). A Newton step solves it, and an exact line search takes the step as far as it lowers the
objective, across the pieces of other active rows; this ends at the exact optimum after finitely
many steps (Keerthi & DeCoste 2005).
"""

import hashlib
import os
from contextlib import suppress
from pathlib import Path

import numpy as np
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dpotrf, dpotrs

MAX_STEPS = 200  # 5 to 25 are usual
KEPT = "newton.minimise-*.nb[ic]"  # numba's names for compiled code and its index
SIGNATURE = "newton.minimise.sha256"  # beside it: their digest
TOLERANCE = 1e-8  # of the weights, before the last step, which takes them closer still


def minimise(x, y, C, step, gram, rounding):
    """The weights v, (n,), and whether Newton's method converged to them.

    x: (m, n); y: (m,) of -1.0 and +1.0; step: (n,), where to go from v = 0; gram: x^T x + r,
    (n, n), or (0, 0) where it is not known; rounding: the error of a decision by unit weights.
    """
    m, n = x.shape
    ridge = 1 / (2 * C)
    v, slack, active = np.zeros(n), np.ones(m), np.zeros(m, dtype=np.bool_)
    rows, factor, dual, near = x[:0], np.eye(1), True, False
    # Of the rows in `counted`. It is brought up to date only where many are active.
    counted = np.full(m, len(gram) > 0)
    gram = gram.copy() if len(gram) > 0 else ridge * np.eye(n)
    for number in range(MAX_STEPS):
        rate = y * (x @ step)  # slack falls at this rate along the step
        length = 1.0  # is exact where the same rows stay active, but for the first step
        if number == 0 or np.any((slack > rate) != active):
            length = _line_search(slack, rate, v @ step, step @ step, C)
        v += length * step
        slack -= length * rate

        was_active, active = active, slack > 0
        indices = np.flatnonzero(active)
        changed = np.any(active != was_active)
        if changed:
            rows = x[indices]
            # With few active rows, the system of their products is smaller: (A A^T + r) z = A g.
            dual = 3 * len(rows) < 2 * n
            if dual:
                factor = ridge * np.eye(len(rows))
                _add_products(factor, rows, 1.0, True)
            else:
                if np.count_nonzero(active != counted) > len(rows):
                    gram, counted = ridge * np.eye(n), np.zeros(m, dtype=np.bool_)
                _add_products(gram, x[np.flatnonzero(active & ~counted)], 1.0, False)
                _add_products(gram, x[np.flatnonzero(counted & ~active)], -1.0, False)
                counted = active
                factor = gram.copy()
            if not _factorise(factor):
                break
        # The gradient is made from the samples, so the test below holds whatever rounding the
        # updates leave in the slacks and the Gram matrix; unless the slacks, which shrink as the
        # features grow, are themselves lost to the rounding of 1 - y f.
        slack[indices] = 1 - y[indices] * (rows @ v)
        gradient = v - 2 * C * ((y[indices] * slack[indices]) @ rows)
        if dual:
            step = _solve(factor, rows @ gradient) @ rows - gradient
        else:
            step = _solve(factor, -ridge * gradient)
        # Converged: two short steps, or one after a step that left the active rows as they were.
        was_near, near = near, np.sqrt(step @ step) <= TOLERANCE * np.sqrt(v @ v)
        if near and (was_near or not changed or not np.any(step)):
            return v + step, rounding * np.sqrt(v @ v) <= 1e-3 * slack.max()
    return v, False


def _line_search(slack, rate, slope, curvature, C):
    """The t that minimises the objective at v + t step: the root of its derivative.

    The derivative, slope + t curvature - 2 C sum rate (slack - t rate) over the active samples,
    rises piecewise linearly, and the root of the piece at t is the next t. That cannot go in
    circles: a sample active at some t is so all the way to one side, hence between two t the
    derivative rises less steeply than at the one and at the other together.
    """
    t = 1.0
    for _ in range(MAX_STEPS):
        active_rate = rate * (slack > t * rate)
        derivative = slope + t * curvature - 2 * C * (active_rate @ (slack - t * rate))
        last, t = t, t - derivative / (curvature + 2 * C * (active_rate @ active_rate))
        if abs(t - last) <= 1e-12 * last:
            break
    return max(t, 0.0)  # the step leads down, unless it is all rounding


def _add_products(matrix, rows, sign, dual):
    """matrix += sign rows rows^T if dual, else sign rows^T rows: a triangle of it, in place."""
    if len(rows):
        dsyrk(sign, rows.T, beta=1, c=matrix.T, trans=dual, lower=1, overwrite_c=1)


def _factorise(matrix):
    """Cholesky's factor in place of that triangle of the matrix; False if it is not positive."""
    return len(matrix) == 0 or dpotrf(matrix.T, lower=1, clean=0, overwrite_a=1)[1] == 0


def _solve(factor, right):
    """The solution of the factorised system."""
    return dpotrs(factor.T, right, lower=1)[0] if len(right) else right


def compiled():
    """minimise as machine code; raises ImportError without numba.

    It takes seconds once, and is kept in this folder's __pycache__ or the user's cache. BLAS and
    LAPACK are called through scipy's Cython interface instead of its Python interface.
    """
    import llvmlite.binding
    from llvmlite import ir
    from numba import njit, types
    from numba.core import cgutils
    from numba.extending import get_cython_function_address, intrinsic, overload, register_jitable

    def fortran(module, name):
        """A routine of scipy, to be called with a tuple. All goes by address, numbers, too."""
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

    @overload(_add_products)
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

    @overload(_factorise)
    def _(matrix):
        def implementation(matrix):
            n, failed = len(matrix), np.zeros(1, np.int32)
            dpotrf_((lower, n, matrix, max(n, 1), failed))
            return failed[0] == 0

        return implementation

    @overload(_solve)
    def _(factor, right):
        def implementation(factor, right):
            n, failed = len(right), np.zeros(1, np.int32)
            dpotrs_((lower, n, 1, factor, max(n, 1), right, max(n, 1), failed))
            return right

        return implementation

    register_jitable(_line_search)
    matrix, vector = types.float64[:, ::1], types.float64[::1]
    signature = types.Tuple((vector, types.boolean))(
        matrix, vector, types.float64, vector, matrix, types.float64
    )
    try:
        function = njit(error_model="numpy", cache=True)(minimise)
    except RuntimeError:  # neither this folder nor the user's cache can be written to
        return njit(signature, error_model="numpy")(minimise)
    folder = Path(function.stats.cache_path)
    _discard_damaged(folder)
    function.compile(signature)
    _sign(folder)
    return function


def _discard_damaged(folder: Path) -> None:
    """Remove compiled code that isn't what was once kept: numba writes it without care for a power
    cut, and would unpickle and run whatever is there."""
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
    digest = hashlib.sha256()
    for path in sorted(folder.glob(KEPT)):
        digest.update(path.name.encode())
        with suppress(FileNotFoundError):  # another process has just discarded it
            digest.update(path.read_bytes())
    return digest.hexdigest()
