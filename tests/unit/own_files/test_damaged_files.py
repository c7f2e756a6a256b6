"""Files that were damaged at random: they are read, or one sentence refuses them."""

import os
import resource
import shutil
import signal
import time
import traceback
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.io
from safetensors.numpy import save_file

from repatlas.experiments.files import probe
from repatlas.experiments.files.content import array_digest, table_digest
from repatlas.experiments.files.look import look
from repatlas.experiments.files.matrix import Matrix
from repatlas.experiments.files.opened import array_of, columns_of, keys_of
from repatlas.record import Refused

SECONDS = 60
"""Longest time for a file; an intact one takes milliseconds."""
MEGABYTES = 500
"""Largest growth of the process while all damaged files of a format are read."""


def write_csv(path, x):
    lines = [",".join(f"f{n}" for n in range(x.shape[1]))]
    lines += [",".join(repr(float(value)) for value in row) for row in x]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_parquet(path, x, **options):
    pq.write_table(pa.table({f"f{n}": column for n, column in enumerate(x.T)}), path, **options)


def write_h5(path, x, **options):
    import h5py

    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=x, **options)


def write_virtual(path, x):
    import h5py

    write_h5(path.with_name("source.h5"), x)
    with h5py.File(path, "w") as file:
        layout = h5py.VirtualLayout(x.shape, x.dtype)
        layout[:] = h5py.VirtualSource("source.h5", "x", x.shape)
        file.create_virtual_dataset("x", layout)


def write_zarr(path, x, **options):
    import zarr

    zarr.create_array(path, data=x, chunks=(5, 6), **options)


def write_zarr_group(path, x):
    import zarr

    zarr.open_group(path, mode="w").create_array("net/x", data=x)


FORMATS = {
    "npy": ("npy", np.save),
    "npz": ("npz", lambda path, x: np.savez(path, x=x)),
    "npz, compressed": ("npz", lambda path, x: np.savez_compressed(path, x=x)),
    "safetensors": ("safetensors", lambda path, x: save_file({"x": x}, path)),
    "mat": ("mat", lambda path, x: scipy.io.savemat(path, {"x": x})),
    "mat, compressed": (
        "mat",
        lambda path, x: scipy.io.savemat(path, {"x": x}, do_compression=True),
    ),
    "mat, version 4": ("mat", lambda path, x: scipy.io.savemat(path, {"x": x}, format="4")),
    "csv": ("csv", write_csv),
    "parquet": ("parquet", write_parquet),
    "parquet, with checksums": (
        "parquet",
        lambda path, x: write_parquet(path, x, write_page_checksum=True),
    ),
    "h5": ("h5", write_h5),
    "h5, compressed": (
        "h5",
        lambda path, x: write_h5(path, x, chunks=(5, 6), compression="gzip", fletcher32=True),
    ),
    "h5, virtual": ("h5", write_virtual),
    "nc": ("nc", lambda path, x: write_h5(path, x, chunks=(4, 3), maxshape=(None, 6))),
    "zarr": ("zarr", write_zarr),
    "zarr, version 2": ("zarr", lambda path, x: write_zarr(path, x, zarr_format=2)),
    "zarr, group": ("zarr", write_zarr_group),
}
"""For each: the suffix, and what writes an array."""


class Hung(BaseException):
    """Reading took too long. No Exception, since that would become a sentence."""


def damaged(content, rng):
    """Return the bytes of a file with some of them changed, lost, or others inserted."""
    place = int(rng.integers(len(content) + 1))
    some = rng.bytes(int(rng.integers(1, 9)))
    match rng.integers(4):
        case 0:  # bytes that are random
            changed = bytearray(content)
            for byte in some:
                changed[rng.integers(len(content))] = byte
            return bytes(changed)
        case 1:  # bits
            changed = bytearray(content)
            for _ in some:
                changed[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
            return bytes(changed)
        case 2:
            return content[:place] + some + content[place:]
    return content[:place] + (content[place + len(some) :] if rng.integers(2) else b"")


def read(path):
    """Read all that planning and the first look read of a file: the digest of each of its
    arrays."""
    found = {}
    for key in keys_of(path) or [None]:
        found[key] = array_digest(path, key)
        look(Matrix(str(path), array_of(path, key), "flat", None))
    if path.suffix in (".csv", ".parquet"):
        found["table"] = table_digest(path, list(columns_of(path)))
    return found


def is_sentence(text, path):
    return text.startswith(str(path)) and text.isprintable() and len(text) < 2000


def outcomes(folder, name, array, number):
    """Return how often a damaged file is read with its numbers or with others, is refused, or ends
    in another exception, which is then in the list. Write the files in a folder, and remove them.
    Also return by how many kilobytes the process grew."""
    os.chdir(folder)
    probe.CPU_SECONDS = 1
    signal.signal(signal.SIGALRM, hang)
    warnings.simplefilter("ignore")
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    suffix, write = FORMATS[name]
    path = Path(f"a.{suffix}")
    write(path, array)
    truth = read(path)
    files = [path]
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file())
    contents = [file.read_bytes() for file in files]
    counts, escaped = Counter(), []
    for seed in range(number):
        rng = np.random.default_rng(seed)
        which = int(rng.integers(len(files)))
        files[which].write_bytes(damaged(contents[which], rng))
        start = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            outcome = "true" if read(path) == truth else "other"
        except Refused as error:
            outcome = "refused"
            if not is_sentence(str(error), path):
                escaped.append(f"{seed}: no sentence: {error}")
        except (Exception, Hung) as error:
            outcome = "escaped"
            escaped.append(f"{seed}: {''.join(traceback.format_exception(error)[-3:])}")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        if time.monotonic() - start > SECONDS:
            escaped.append(f"{seed}: took {time.monotonic() - start:.0f} s")
        counts[outcome] += 1
        files[which].write_bytes(contents[which])
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    return counts, escaped, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - size


def hang(*_):
    raise Hung


@pytest.fixture(scope="module")
def small_process():
    """Each HDF5 file is first read in a copy of the process. Copying the process of the tests takes
    ten times as long as reading."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        yield process


@pytest.fixture
def check(small_process, tmp_path, array, request):
    def check(name, number):
        if name.startswith(("h5", "nc", "zarr")):
            request.getfixturevalue("zarr" if name.startswith("zarr") else "h5py")
        found = small_process.submit(outcomes, tmp_path, name, array, number)
        counts, escaped, grown = found.result()
        print(f"{name}: {dict(counts)}")
        assert not escaped, "\n\n".join([f"{len(escaped)} of {number}", *escaped[:5]])
        assert counts["refused"] > 0
        assert grown < 1024 * MEGABYTES

    return check


@pytest.mark.parametrize("name", ["npz", "mat", "csv", "parquet", "h5"])
def test_a_damaged_file_is_read_or_refused_in_a_sentence(name, check):
    check(name, 40)


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_four_hundred_damaged_files_are_read_or_refused(name, check):
    check(name, 400)
