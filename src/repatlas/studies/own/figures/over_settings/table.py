"""Every measure against another setting than the layer."""

import pandas as pd

from repatlas.studies.own.rows import along


def tabulate(rows: dict[str, pd.DataFrame], step: None) -> pd.DataFrame:
    """Return the values at each place of the axis, and medians over units."""
    frame = rows["of"]
    axes = frame.drop_duplicates("representation").set_index("representation")["first_axis"]
    return along(frame, axes.to_dict())
