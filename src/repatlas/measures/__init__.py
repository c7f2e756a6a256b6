"""What is measured of a network, one measure per module. Each has

OF: "checkpoint" for a measure of a network at each of its steps, "run" for one of all steps
together; NEEDS: what it asks of a representation, by the names that the experiments have in their
grids under `has`; and `rows(seen, settings)`, which yields a Row for each number, and for a run
its step and the Row.
"""
