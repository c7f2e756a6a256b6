"""The parts of a machine on which the last bits of results depend."""

import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import llvmlite.binding
import numba
import scipy.linalg  # noqa: F401  loads the second OpenBLAS, whose core is recorded, too
from threadpoolctl import threadpool_info

TYPE = ("cpu", "openblas", "numba")


def machine() -> dict[str, str]:
    """Return the type of CPU, the core that OpenBLAS uses, the CPU that numba compiles for, and the
    versions of packages. OPENBLAS_CORETYPE and NUMBA_CPU_NAME change two of them."""
    cpuinfo = Path("/proc/cpuinfo")
    fields = {}
    if cpuinfo.exists():
        first = cpuinfo.read_text().split("\n\n")[0]
        fields = {key.strip(): value.strip() for key, _, value in _halves(first)}
    names = ("vendor_id", "cpu family", "model", "model name")
    cpu = " ".join(fields[name] for name in names if name in fields) or platform.processor()
    cores = {blas["architecture"] for blas in threadpool_info() if "architecture" in blas}
    return {
        "cpu": cpu or platform.machine(),
        "openblas": ", ".join(sorted(cores)),
        "numba": numba.config.CPU_NAME or llvmlite.binding.get_host_cpu_name(),
        "packages": ", ".join(map(_versioned, ("numpy", "scipy", "numba", "torch"))),
    }


def differences(frozen: dict[str, str], here: dict[str, str], of=TYPE) -> str:
    """Return in words how two machines differ; empty if their results must be equal to the bit."""
    parts = [
        f"{name} {frozen[name]}, here {here[name]}" for name in of if frozen[name] != here[name]
    ]
    return "; ".join(parts)


def _halves(text: str):
    return (line.partition(":") for line in text.splitlines())


def _versioned(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"no {package}"
