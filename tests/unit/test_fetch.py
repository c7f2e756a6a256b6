"""A run fetches results from its sources, and believes nothing that they send.

The sources are a folder that `repatlas bundle` wrote, and a server of it on this machine."""

import contextlib
import json
import re
import shutil
import ssl
import subprocess
import sys
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from asked import config_of

from repatlas.config.config import ConfigError, read_config
from repatlas.operations import bundle, fetch
from repatlas.operations.expected import expected_files, is_there
from repatlas.operations.freshness import state
from repatlas.plan.plan import Plan
from repatlas.record import Refused

SECONDS = 0.3
"""How long a source may be silent in these tests."""
PICTURE = "structure/figures/fig03.pdf"
FIGURE = "*/figures/fig03/*.pdf"
RUNS = "runs/*/*/*/*.safetensors"
CERTIFICATE = Path(__file__).with_name("self_signed.pem")
READ_INDEX = """
import sys
from repatlas.operations.sources import Source
source = Source(sys.argv[1])
source.read_index()
print(len(source.files))
"""


class Handler(SimpleHTTPRequestHandler):
    """Serves the folder of its server. `answers` has functions that answer otherwise, by the
    last part of an address."""

    def do_GET(self):
        self.server.asked.append(self.path)
        other = self.server.answers.get(Path(self.path).name)
        with contextlib.suppress(ConnectionError):  # the reader has had enough
            other(self) if other else super().do_GET()

    def begin(self, length=None):
        self.send_response(200)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    scheme = "http"

    def __init__(self, folder):
        self.answers, self.asked, self.ends = {}, [], threading.Event()
        super().__init__(("127.0.0.1", 0), partial(Handler, directory=folder))

    @property
    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.server_port}"

    def fetched(self):
        return [path for path in self.asked if path != "/index.json"]


@pytest.fixture
def values(one_figure_values):
    return one_figure_values


@pytest.fixture
def source(results, values):
    """A bundle of all results. The folder where the test runs has no results any more."""
    bundle.main([config_of(values), "--into", "source", "--networks"])
    results.rename("made")
    return Path("source")


@pytest.fixture
def server(source):
    with Server(source) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.ends.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def encrypted(server):
    """The server, which now speaks https, with a certificate that nobody has signed."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.scheme = "https"
    return server


@pytest.fixture
def run(values):
    """Fetch before a run of a config with these sources. Return the missing files, and what the run
    said."""

    def run(*sources, dry_run=False, everything=True):
        plan = Plan(read_config(values | {"sources": list(map(str, sources))}))
        expected = expected_files(plan)
        names = list(expected) if everything else [Path("results", PICTURE)]
        said = []
        fetch.fetch(plan, expected, names, said.append, dry_run, SECONDS)
        assert not list(Path().rglob("results/**/.*")), "nothing is half written"
        there = {state(wanted)[0] for wanted in expected.values() if is_there(wanted)}
        assert there <= {"fresh"}
        return {str(name) for name in names if not is_there(expected[name])}, said

    return run


def only(folder, pattern):
    """Return the one file with a name like this in a folder."""
    [found] = folder.glob(pattern)
    return found


def change_index(source, change):
    index = json.loads((source / "index.json").read_text())
    change(index["files"])
    (source / "index.json").write_text(json.dumps(index))


def flip_a_byte(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.unlink()  # it may be the file of a store, under another name
    path.write_bytes(content)


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.*")}


# What is fetched.


def test_every_file_is_fetched_byte_by_byte(server, run):
    missing, said = run(server.url)
    assert missing == set()
    assert len(said) == 1
    assert said[0].startswith("Fetched 10 of the files that are missing, ")
    made, fetched = contents(Path("made/store")), contents(Path("results/store"))
    assert made == fetched


def test_a_source_with_https_is_read_if_its_certificate_is_trusted(encrypted, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    words = [sys.executable, "-c", READ_INDEX, encrypted.url]  # Python may read it only at a start
    assert subprocess.run(words, capture_output=True, text=True).stdout == "10\n"


def test_a_folder_is_a_source_too(source, run):
    assert run(source)[0] == set()


def test_nothing_is_fetched_again(server, run):
    run(server.url)
    server.asked.clear()
    assert run(server.url) == (set(), [])
    assert server.asked == []


def test_for_a_figure_that_a_source_has_nothing_else_is_fetched(server, run):
    assert run(server.url, everything=False)[0] == set()
    assert {Path(path).parent.name for path in server.fetched()} == {"fig03"}
    assert {Path(path).suffix for path in server.fetched()} == {".pdf", ".png"}


def test_for_a_figure_that_no_source_has_its_table_is_fetched(server, source, run):
    change_index(source, lambda files: [files.pop(n) for n in [*files] if "/figures/" in n])
    missing, said = run(server.url, everything=False)
    assert missing == {f"results/{PICTURE}"}
    assert "Fetched 1 of the files" in said[0]
    assert "/structure/tables/fig03/" in server.fetched()[0]


def test_for_networks_that_no_source_has_their_other_versions_are_fetched(
    server, source, values, run
):
    values["sweeps"]["noise"]["task"]["noise_variance"] = [0.0, 9.0]
    missing, _ = run(server.url, everything=False)
    assert missing == {f"results/{PICTURE}"}
    assert {Path(path).parts[1] for path in server.fetched()} == {"data", "metrics", "runs"}
    assert only(Path("results/store"), RUNS).name == only(source, RUNS).name


def test_a_dry_run_fetches_nothing_and_says_how_much_there_is(server, run):
    missing, said = run(server.url, dry_run=True)
    assert len(missing) == 10
    assert said[0].startswith("A run would first fetch 10 of the files that are missing, ")
    assert server.fetched() == []
    assert not Path("results").exists()


def test_the_first_source_that_has_a_file_gives_it(server, source, run):
    other = Path("other")
    shutil.copytree(source, other)
    change_index(other, lambda files: [files.pop(n) for n in [*files] if n.startswith("runs/")])
    assert run(other, server.url)[0] == set()
    assert [Path(path).parts[1] for path in server.fetched()] == ["runs"]


# What is refused.


@pytest.mark.parametrize("pattern", [RUNS, FIGURE, "*/figures/fig03/*.png", "*/tables/*/*"])
def test_a_wrong_byte_ends_the_run_with_a_sentence(server, source, run, pattern):
    damaged = only(source, pattern)
    flip_a_byte(damaged)
    name = damaged.relative_to(source)
    with pytest.raises(Refused) as refused:
        run(server.url)
    assert str(refused.value) == (
        f"{server.url}/{name}: its SHA-256 is not what index.json says: not kept; take the source"
        " out of the config's `sources` to compute the file here, and tell its owner"
    )
    assert not Path("results/store", name).exists()
    assert not list(Path("results").rglob(".*"))


@pytest.mark.parametrize("pattern", [RUNS, FIGURE, "*/claims/claims/*.md"])
def test_a_wrong_byte_that_the_index_calls_right_is_refused(server, source, run, pattern):
    damaged = only(source, pattern)
    flip_a_byte(damaged)
    entry = bundle.entry_of(damaged).model_dump()
    name = damaged.relative_to(source).as_posix()
    change_index(source, lambda files: files.update({name: entry}))
    with pytest.raises(Refused, match=f"{name}: .* not kept; take the source out"):
        run(server.url)
    assert not Path("results/store", name).exists()


def test_another_file_under_the_name_of_the_networks_is_refused(server, source, run):
    networks, data = only(source, RUNS), only(source, "data/*/*/*/*.safetensors")
    networks.unlink()
    shutil.copy(data, networks)
    name = networks.relative_to(source).as_posix()
    change_index(source, lambda files: files.update({name: bundle.entry_of(data).model_dump()}))
    with pytest.raises(Refused, match=f"{name}: is a file of data, .*: not kept"):
        run(server.url)


def test_a_version_under_the_name_of_another_one_is_refused(server, source, values, run):
    networks = only(source, RUNS)
    other = networks.with_stem("0123456789abcdef")
    name, other_name = (path.relative_to(source).as_posix() for path in (networks, other))
    networks.rename(other)
    change_index(source, lambda files: files.update({other_name: files.pop(name)}))
    with pytest.raises(Refused, match=f"{other_name}: is not what its name says: not kept"):
        run(server.url)


# What is given up, with a warning. The run computes what is missing.


def cut(handler):
    handler.begin(1000)
    handler.wfile.write(b"cut")
    handler.close_connection = True


def endless(handler):
    handler.begin()
    while not handler.server.ends.is_set():
        handler.wfile.write(b"again " * 10_000)


def silent(handler):
    handler.server.ends.wait(10)


def dripping(handler):
    handler.begin()
    while not handler.server.ends.wait(SECONDS / 10):
        handler.wfile.write(b".")


def hangs_up(handler):
    handler.close_connection = True


def missing(handler):
    handler.send_error(404)


def leads_elsewhere(handler):
    handler.send_response(302)
    handler.send_header("Location", "ftp://127.0.0.1/file")
    handler.end_headers()


FAULTS = [
    (cut, r"broke off [\d,]+ bytes early"),
    (endless, "longer than it should be"),
    (silent, "timed out"),
    (dripping, "too slow"),
    (hangs_up, "Remote end closed connection without response"),
    (missing, "Not Found"),
    (leads_elsewhere, "unknown url type: ftp"),
]


@pytest.mark.parametrize(("fault", "reason"), FAULTS, ids=[fault.__name__ for fault, _ in FAULTS])
def test_a_file_that_does_not_arrive_is_left_to_the_run(server, source, run, fault, reason):
    name = only(source, RUNS).relative_to(source)
    server.answers[name.name] = fault
    begun = time.monotonic()
    left, said = run(server.url)
    assert time.monotonic() - begun < 10
    assert {path.split("/")[1] for path in left} == {"runs"}
    assert len(said) == 2
    assert said[0].startswith("Fetched 9 of the files that are missing, ")
    assert said[1].startswith(f"{server.url}: 1 of its files did not arrive, such as {name} (")
    assert re.search(reason, said[1])


def test_a_file_that_one_source_cuts_is_taken_from_the_next(server, source, run):
    server.answers[only(source, RUNS).name] = cut
    left, said = run(server.url, source)
    assert left == set()
    assert said[0].startswith("Fetched 10 ")


def test_a_source_that_fails_again_and_again_is_left_in_peace(server, source, run):
    for path in source.rglob("*.*"):
        if path.name != "index.json":
            server.answers[path.name] = silent
    begun = time.monotonic()
    left, said = run(server.url)
    assert len(left) == 10
    assert len(said) == 1
    assert len(server.fetched()) < 2 * fetch.CONNECTIONS
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize("fault", [cut, endless, silent, dripping, hangs_up, missing])
def test_without_an_index_a_source_is_not_used(server, run, fault, monkeypatch):
    monkeypatch.setattr("repatlas.operations.sources.LARGEST_INDEX", 10_000)
    server.answers["index.json"] = fault
    left, said = run(server.url)
    assert len(left) == 10
    assert len(said) == 1
    assert said[0].startswith(f"{server.url}/index.json: ")
    assert said[0].endswith("; this source is not used")


def test_a_source_that_is_down_is_not_used(server, source, run):
    with Server(source) as down:
        url = down.url
    left, said = run(url)
    assert len(left) == 10
    assert said == [f"{url}/index.json: Connection refused; this source is not used"]


def test_a_source_with_a_certificate_that_nobody_trusts_is_not_used(encrypted, run):
    left, said = run(encrypted.url)
    assert len(left) == 10
    [sentence] = said
    assert re.fullmatch(
        f"{encrypted.url}/index.json: self.signed certificate; SSL_CERT_FILE may name a file with a"
        " certificate that you trust; this source is not used",
        sentence,
    )


def test_a_folder_that_is_not_there_is_not_used(source, run):
    _, said = run("nowhere")
    assert said == ["nowhere/index.json: No such file or directory; this source is not used"]


@pytest.mark.parametrize(
    "name", ["../escaped/0123456789abcdef.pdf", "/tmp/0123456789abcdef.pdf", "runs/../../x", "a b"]
)
def test_an_index_with_a_name_that_leaves_the_store_is_not_used(server, source, run, name):
    change_index(source, lambda files: files.update({name: next(iter(files.values()))}))
    left, said = run(server.url)
    assert len(left) == 10
    assert said == [
        f"{server.url}/index.json: lists {name!r}, which is no name in a store; this source is"
        " not used"
    ]


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{" * 100_000, b'{"files": {"a": 1}}', b"\xff\0", b'{"files": []}']
)
def test_an_index_that_is_none_is_not_used(server, source, run, content):
    (source / "index.json").write_bytes(content)
    left, said = run(server.url)
    assert len(left) == 10
    assert said == [
        f"{server.url}/index.json: not an index that `make bundle` writes; this source is not used"
    ]


@pytest.mark.parametrize("place", ["ftp://host/results", "file:///results", ""])
def test_a_source_that_is_neither_a_folder_nor_on_the_web_is_refused(values, place):
    with pytest.raises(ConfigError, match=r"sources.*allowed: a folder, or an address with http"):
        read_config(values | {"sources": [place]})


def test_a_source_changes_no_identity(values):
    with_source = values | {"sources": ["https://example.org"]}
    first, second = (
        [wanted.identity for wanted in expected_files(Plan(read_config(v))).values()]
        for v in (values, with_source)
    )
    assert first == second


# What a bundle has.


def test_a_bundle_keeps_what_other_configs_put_into_it(source, values, results, capsys):
    before = json.loads((source / "index.json").read_text())["files"]
    Path("made").rename("results")
    values["style"] = {"width": 6}
    bundle.main([config_of(values), "--into", "source", "--networks"])
    assert json.loads((source / "index.json").read_text())["files"] == before
    assert "4 files that the config wants are not there" in capsys.readouterr().out


def test_a_bundle_has_the_figures_and_no_networks_which_can_be_asked_for(
    results, values, run, capsys
):
    bundle.main([config_of(values), "--into", "source"])
    assert "--networks adds 2 files, " in capsys.readouterr().out
    results.rename("made")
    assert run("source", everything=False)[0] == set()
    assert {path.split("/")[1] for path in run("source")[0]} == {"runs", "data"}


def test_a_damaged_file_is_not_bundled(results, values):
    flip_a_byte(only(results / "store", FIGURE))
    with pytest.raises(Refused, match=r"damaged: .*`make verify` tells more"):
        bundle.main([config_of(values), "--into", "source"])
    assert not Path("source/index.json").exists()


def test_without_results_there_is_no_bundle(tmp_path, monkeypatch, values):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Refused, match="nothing has been made yet: 8 files are missing"):
        bundle.main([config_of(values), "--into", "source"])


def test_a_folder_whose_index_is_of_something_else_is_left_as_it_is(results, values):
    Path("source").mkdir()
    Path("source/index.json").write_text("{}")
    with pytest.raises(Refused, match=r"source/index.json: not an index .*name another folder"):
        bundle.main([config_of(values), "--into", "source"])
    assert [path.name for path in Path("source").iterdir()] == ["index.json"]
