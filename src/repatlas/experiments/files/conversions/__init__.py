"""How other tools lay out their results, each in the module that has the tool's name.

A module has `convert(source, target)`, which writes files that this package reads into a folder and
says what a config names them.
"""
