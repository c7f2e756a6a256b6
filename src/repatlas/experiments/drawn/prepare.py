"""The data of networks with drawn functions: the data of networks on clusters."""

from repatlas.experiments.clusters.prepare import OWN_DATA, modules, prepare

__all__ = ["OWN_DATA", "modules", "prepare"]
