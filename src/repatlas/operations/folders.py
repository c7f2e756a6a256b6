"""Whether the folders of images exist, checked by names before any job starts."""

from collections.abc import Mapping
from pathlib import Path

from repatlas.artifacts import layout
from repatlas.config.config import ConfigError
from repatlas.images.published import data_set as module_of
from repatlas.operations.expected import Expected
from repatlas.plan.plan import Plan


def check_folders(plan: Plan, expected: Mapping[Path, Expected]) -> None:
    """Refuse a config whose folder of images lacks published files that a figure needs.

    Data that are prepared already need no folder. The job that reads the files checks their
    content. Raises ConfigError.
    """
    on_images = [sweep for sweep in plan.sweeps if hasattr(sweep, "data_set")]
    for experiment, data_set in sorted({(s.experiment, s.data_set) for s in on_images}):
        place = layout.DATA.format(experiment=experiment, data=data_set)
        source = plan.config.image_sets.get(data_set)
        if source is None or expected[Path(plan.results, place)].path.exists():
            continue
        folder = Path(source.folder)
        found = _what_is_wrong(folder, module_of(data_set), source.download)
        if found:
            names = [*module_of(data_set).OTHER_FORMS, " and ".join(module_of(data_set).DOWNLOADS)]
            raise ConfigError(
                f"config.yaml: image_sets.{data_set}.folder: found {source.folder!r}, {found};"
                f" allowed: a folder with {' or '.join(names)}, or `download: true` to fetch it"
            )


def _what_is_wrong(folder: Path, data_set, download: bool) -> str:
    """Return what is wrong with a folder of images; an empty text if nothing is."""
    if folder.exists() and not folder.is_dir():
        return "which is no folder"
    if download:
        return ""
    if not folder.exists():
        return "which does not exist"
    other = any((folder / name).exists() for name in data_set.OTHER_FORMS)
    if other or all((folder / name).exists() for name in data_set.DOWNLOADS):
        return ""
    return "which lacks the published files"
