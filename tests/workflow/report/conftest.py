"""The report of the small project, and the system's own Chromium to look at it, offline."""

import os
import shutil
from pathlib import Path
from zipfile import ZipFile

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
LAPTOP = {"width": 1280, "height": 800}


@pytest.fixture(scope="session")
def reported(shared, done):
    """A project with its report, as `make report` makes it. For reading only."""

    def make(folder):
        project = done.clone(folder)
        project.run("reports")
        project.run("reports", "--report", "results/report.zip")

    return shared("reported", make)


@pytest.fixture(scope="session")
def unpacked(reported, tmp_path_factory):
    """Snakemake's own report."""
    folder = tmp_path_factory.mktemp("unpacked")
    with ZipFile(reported.results / "report.zip") as file:
        file.extractall(folder)
    return folder / "report/report.html"


@pytest.fixture(scope="session")
def browser():
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        _lacking(f"no browser is installed here: no {', '.join(BROWSERS)}")
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        _lacking("the package playwright is not installed")
    # Chromium's sandbox refuses root.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        yield browser
        browser.close()


def _lacking(reason):
    if os.environ.get("REPATLAS_REQUIRE_BROWSER"):
        pytest.fail(reason)
    pytest.skip(reason)


class Visit:
    """A page from disk, in a browser without network, and all that it complained about."""

    def __init__(self, context, path: Path):
        self.complaints, self.asked_for = [], []
        context.route("**/*", self._route)
        self.page = context.new_page()
        self.page.on("console", self._listen)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(path.as_uri())

    def _route(self, route):
        if route.request.url.startswith(("file:", "data:", "blob:")):
            route.continue_()
        else:
            self.asked_for.append(route.request.url)
            route.abort()

    def _listen(self, message):
        if message.type == "error":
            self.complaints.append(message.text)


@pytest.fixture
def open_page(browser):
    contexts = []

    def open_page(path, size=LAPTOP):
        contexts.append(browser.new_context(viewport=size, offline=True))
        return Visit(contexts[-1], path)

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def page(open_page, reported):
    return open_page(reported.results / "structure/report.html").page
