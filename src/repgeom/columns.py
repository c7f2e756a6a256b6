"""The columns of a figure's table: those of all figures, and those of networks on images."""

import pyarrow as pa

from repgeom import files

TABLE_SCHEMA = pa.schema(
    [
        *files.TABLE_SCHEMA,
        pa.field("dataset", pa.string()),
        pa.field("architecture", pa.string()),
        pa.field("pairing", pa.string()),
        pa.field("images", pa.int32()),
        pa.field("published", pa.int32()),
        pa.field("test_images", pa.int32()),
        pa.field("test_published", pa.int32()),
    ]
)
"""Beside those in files: of networks on images their data set, architecture and which classes share
a label, and how many images there were for training and held out, each of how many published. Their
`layer` counts from the input, 0; their `step` is an epoch."""
