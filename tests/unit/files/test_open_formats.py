"""Files have open formats: their headers are JSON, and nothing needs pickle."""

import ast
import json

import pyarrow.parquet as pq
from small_files import sha256

from repatlas.workflow.code import PACKAGE, ROOT


def test_nothing_is_read_with_pickle():
    risky = {"pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
    loaders = {"torch.load", "pd.read_pickle"}
    of_numpy = {"np.load", "numpy.load"}  # which refuse pickles only where they are told to
    for path in (ROOT / PACKAGE).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            where = f"{path}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.Import):
                assert not risky & {alias.name.split(".")[0] for alias in node.names}, where
            elif isinstance(node, ast.ImportFrom):
                assert node.module.split(".")[0] not in risky, where
            elif isinstance(node, ast.Call):
                assert ast.unparse(node.func) not in loaders, where
                told = {word.arg for word in node.keywords}
                assert ast.unparse(node.func) not in of_numpy or "allow_pickle" in told, where
            elif isinstance(node, ast.keyword) and node.arg == "allow_pickle":
                assert ast.unparse(node.value) == "False", where


def test_headers_are_json_that_other_programs_can_read(arrays_file, table_file):
    raw = arrays_file.read_bytes()
    length = int.from_bytes(raw[:8], "little")
    metadata = json.loads(raw[8 : 8 + length])["__metadata__"]
    assert metadata.keys() == {"repatlas"}
    in_table = pq.read_schema(table_file).metadata[b"repatlas"].decode()
    for kind, entry in (("runs", metadata["repatlas"]), ("metrics", in_table)):
        digest, _, text = entry.partition(" ")
        assert json.loads(text)["kind"] == kind
        assert digest == sha256(text.encode())
