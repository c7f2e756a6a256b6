"""The rows of networks whose activation function has a name."""

from repatlas.studies.law.rows import rows_with_settings as with_settings

__all__ = ["with_settings"]
