"""The data of networks on images: the two splits of a published data set."""

from repatlas.images.prepared import OWN_DATA, depends_on, modules, prepare

__all__ = ["OWN_DATA", "depends_on", "modules", "prepare"]
