"""Pages in headless Chromium: the fixture `page`, and `open_page`, which fails on any error and on any request."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium_path() -> str | None:
    """The browser: ``$CHROMIUM``, else one of the system's."""
    given = os.environ.get("CHROMIUM")
    return given or next(filter(None, map(shutil.which, _BROWSERS)), None)


@pytest.fixture(scope="session")
def browser():
    """One process of Chromium for all tests of a process."""
    path = chromium_path()
    if path is None:
        pytest.skip("no Chromium: apt install chromium, or name one in $CHROMIUM")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        )
        yield launched
        launched.close()


@pytest.fixture
def page(browser):
    """A window of 1000 x 700 pixels that keeps what went wrong in ``page.problems``; none may have, at the end."""
    context = browser.new_context(viewport={"width": 1000, "height": 700}, accept_downloads=True)
    context.set_default_timeout(20_000)
    window = context.new_page()
    window.problems = []
    window.on("console", lambda message: _note(window, message.type in ("error", "warning"), message.text))
    window.on("pageerror", lambda error: _note(window, True, str(error)))
    window.on("dialog", lambda dialog: (_note(window, True, f"dialog: {dialog.message}"), dialog.dismiss()))
    window.on("request", lambda request: _note(window, not _is_own(window, request.url), f"request: {request.url}"))
    yield window
    problems = window.problems
    context.close()
    assert problems == []


def _note(window, is_problem: bool, what: str) -> None:
    if is_problem:
        window.problems.append(what)


def _is_own(window, url: str) -> bool:
    """Return whether a request is for the opened file or for data within the page."""
    return url == getattr(window, "opened", None) or url.startswith(("data:", "blob:"))


def open_page(page, path: Path | str) -> None:
    """Open a file and wait until its scripts have run; fails on errors on the console and on any other request."""
    page.opened = Path(path).resolve().as_uri()
    page.goto(page.opened)
    page.wait_for_load_state("load")
    assert page.problems == []
