"""What goes wrong while a user's file is read becomes one sentence, whatever library reads it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from repatlas.record import Refused

LONGEST = 300
"""Characters of a library's message that a sentence quotes."""


@contextmanager
def reading(name: Path | str) -> Iterator[None]:
    """Turn the exceptions of the lines below into Refused, except for a missing package.

    Libraries raise dozens of types for damaged files, MemoryError and RecursionError among them,
    and no list of types is complete. The sentence quotes the exception, so that a fault of our own
    in these lines can be recognised.

    Parameters
    ----------
    name: what the sentence calls the file, or the array in it.
    """
    try:
        yield
    except (Refused, ModuleNotFoundError):
        raise
    except Exception as error:
        # Messages of libraries have several lines, and may repeat bytes of a damaged file.
        text = "".join(sign if sign.isprintable() else " " for sign in str(error))
        found = f"{type(error).__name__}: {' '.join(text.split())}".removesuffix(": ")
        found = found if len(found) <= LONGEST else f"{found[:LONGEST]}..."
        if isinstance(error, MemoryError):
            raise Refused(f"{name}: needs more memory than there is ({found})") from error
        if isinstance(error, OSError) and error.errno:
            raise Refused(f"{name}: cannot be read ({found})") from error
        raise Refused(
            f"{name}: damaged, or not what its name says ({found}): write or copy it again"
        ) from error
