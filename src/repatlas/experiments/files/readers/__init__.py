"""The types of files, each in the module that has the name of its suffix: .npy is npy.py.

A module has two functions. `keys(path)` returns the names of the arrays in a file, or None where a
file is one array. `array(path, key)` returns an array that is read in slices of rows. The suffixes
of tables also have `columns(path)`, the cells of each column, by name.
"""
