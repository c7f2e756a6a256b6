"""The places of images, as a config names them."""

from typing import Annotated

from pydantic import AfterValidator

from repatlas.images.content import SCHEMES
from repatlas.record import Record, refuse


def _web_address(url: str) -> str:
    if not url.startswith(SCHEMES):
        refuse("allowed: an address with http:// or https://")
    return url


class ImageSource(Record):
    """The place of the files of a data set."""

    folder: str
    """A folder with the published archive, or with what was unpacked from it."""
    subset: bool = False
    """Whether a file that was cut short may be used; figures then say "subset of N"."""
    download: bool = False
    """Whether what the folder lacks is fetched; a broken download goes on."""
    url: Annotated[str, AfterValidator(_web_address)] | None = None
    """The address of the folder with the published files, where it is not to be the usual one."""
