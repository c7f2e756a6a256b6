"""The rows of networks with drawn functions."""

from repatlas.studies.law.rows import rows_with_settings as with_settings

__all__ = ["with_settings"]
