"""The stages of the workflow, each a thin command: `python -m repatlas STAGE ...`.

A stage reads the files of the stage before it, does one thing with the package, and writes files.
"""
