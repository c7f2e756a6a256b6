"""The data sets by name. To add one, write its module and enter it here.

A module has SHAPE, (channels, height, width) of an image; SIZES, the images of each split as
published; DOWNLOADS, by file name where it is to be had, its bytes and its MD5; OTHER_FORMS, names
of files or folders each of which makes a download needless; CUTTABLE, names of the files that may
be cut short; and `read(folder, subset)`.
"""

from repatlas.experiments.images.data_sets import cifar10, digits, fashion_mnist, stl10

DATA_SETS = {
    "digits": digits,
    "cifar10": cifar10,
    "stl10": stl10,
    "fashion_mnist": fashion_mnist,
}
