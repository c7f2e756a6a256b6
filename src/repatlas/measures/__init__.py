"""What is measured of a network, with one measure in each module. A module has

OF: "checkpoint" for a measure of a network at each of its steps, "run" for a measure of all steps
together;

`rows(seen, settings)`, which yields a Row for each number, and for a run its step and the Row. The
type of `seen` is what the measure needs: a Protocol of `repatlas.representation`.
"""
