"""Downloads, from a server on this machine: they go on, are checked, and fail in one sentence."""

import contextlib
import hashlib
import re
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from repatlas.images.content import BadImages
from repatlas.images.download import download

CONTENT = bytes(range(256)) * 400
MD5 = hashlib.md5(CONTENT).hexdigest()


class Server(ThreadingHTTPServer):
    """Serves CONTENT; `ranges` whether it can begin later, `breaks_at` where it hangs up."""

    ranges = True
    breaks_at = None
    nonsense = None
    """What it answers instead."""
    leads_to = None
    """Another address that it names instead."""
    goes_on = False
    """Whether it sends the same again and again."""

    def __init__(self):
        self.asked = []
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/images.tar.gz"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.server.nonsense:
            self.wfile.write(self.server.nonsense)
            return
        asked = self.headers.get("Range")
        self.server.asked.append(asked)
        if self.server.leads_to:
            self.send_response(302)
            self.send_header("Location", self.server.leads_to)
            self.end_headers()
            return
        start = int(re.fullmatch(r"bytes=(\d+)-", asked)[1]) if asked and self.server.ranges else 0
        if start >= len(CONTENT):
            self.send_error(416)
            return
        self.send_response(206 if start else 200)
        if not self.server.goes_on:
            self.send_header("Content-Length", str(len(CONTENT) - start))
        self.end_headers()
        self.wfile.write(CONTENT[start : self.server.breaks_at])
        with contextlib.suppress(ConnectionError):  # the reader has had enough
            for _ in range(500 if self.server.goes_on else 0):
                self.wfile.write(CONTENT)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "images.tar.gz"


def fetch(server, path, md5=MD5):
    download(server.url, path, len(CONTENT), md5, log=lambda _: None)


def test_a_download_that_broke_off_says_so_and_then_goes_on(server, path):
    server.breaks_at = 5000
    with pytest.raises(BadImages, match=r"broke off 97,400 bytes early"):
        fetch(server, path)
    assert not path.exists()
    server.breaks_at = None
    fetch(server, path)
    assert server.asked == [None, "bytes=5000-"]
    assert path.read_bytes() == CONTENT


def test_a_file_with_another_md5_is_not_kept(server, path):
    with pytest.raises(BadImages, match=rf"found MD5 {MD5}, published is 0{{32}}: not kept"):
        fetch(server, path, md5="0" * 32)
    assert not list(path.parent.iterdir())


def test_without_a_network_there_is_one_sentence(path):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/images.tar.gz"
        with pytest.raises(BadImages, match=r"can't be fetched \(.*refused.*\)") as refused:
            download(url, path, len(CONTENT), MD5, log=lambda _: None)
    assert "\n" not in str(refused.value)


def test_a_url_that_is_a_path_is_refused(path):
    with pytest.raises(BadImages, match=r"found 'file:///etc/passwd', allowed: an address with h"):
        download("file:///etc/passwd", path, len(CONTENT), MD5, log=lambda _: None)


def test_a_server_that_sends_more_than_was_published_is_cut_off(server, path):
    server.goes_on = True
    sentence = rf"{server.url}: sends more than the 102,400 bytes that were published: not kept"
    with pytest.raises(BadImages, match=sentence):
        fetch(server, path)
    assert not list(path.parent.iterdir())


@pytest.mark.parametrize("address", ["ftp://127.0.0.1/x", "file:///etc/passwd", "data:,x"])
def test_a_redirection_to_another_scheme_is_refused(server, path, address):
    server.leads_to = address
    with pytest.raises(BadImages, match=rf"^{server.url}: .*{address}.* allowed"):
        fetch(server, path)
    assert not path.exists()
