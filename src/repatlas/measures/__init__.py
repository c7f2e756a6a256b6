"""What is measured of a network, with one measure in each module. A module has

OF: "checkpoint" for a measure of a network at each of its steps, "run" for a measure of all steps
together;

NEEDS: the attributes of a representation that it uses, by the names that experiments list in `has`
of their grids;

`rows(seen, settings)`, which yields a Row for each number, and for a run its step and the Row.
"""
