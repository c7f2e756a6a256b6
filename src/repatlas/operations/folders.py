"""Whether the folders of images are there, told from names alone before any job starts."""

from pathlib import Path

from repatlas.config.config import ConfigError
from repatlas.experiments.images.known import DATA_SETS
from repatlas.plan import Plan


def check_folders(plan: Plan) -> None:
    """Raises ConfigError for a data set that a figure needs, is not prepared yet, and whose folder
    lacks its published files. What is in them the job that reads them checks."""
    for data_set in plan.image_sets:
        prepared = [
            Path(plan.results, "images", data_set, f"{split}.safetensors")
            for split in ("train", "test")
        ]
        source = plan.config.image_sets.get(data_set)
        if source is None or all(path.exists() for path in prepared):
            continue
        folder = Path(source.folder)
        found = _what_is_wrong(folder, DATA_SETS[data_set], source.download)
        if found:
            names = [*DATA_SETS[data_set].OTHER_FORMS, " and ".join(DATA_SETS[data_set].DOWNLOADS)]
            raise ConfigError(
                f"config.yaml: image_sets.{data_set}.folder: found {source.folder!r}, {found};"
                f" allowed: a folder with {' or '.join(names)}, or `download: true` to fetch it"
            )


def _what_is_wrong(folder: Path, data_set, download: bool) -> str:
    """In words; nothing where the folder will do."""
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
