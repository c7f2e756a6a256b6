"""The types of files, each in the module that has the name of its suffix: .npy is npy.py.

A module has `keys(path)`, the names of the arrays in a file, or None where a file is one array; and
`array(path, key)`, an array that is read in slices of rows. The suffixes of tables also have
`columns(path)`, the cells of each column, by name.
"""
