"""A browser opens the report: nothing is requested, nothing runs, and everything is there."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import judge_polars as jp
from judge_polars.report.html import as_html
from tests.report.scene import EVIL_RUN, page_of, report_of, write_hostile_world

NAMES = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next((found for name in NAMES if (found := shutil.which(name))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium here: apt-get install chromium")


@contextmanager
def listening() -> Iterator[tuple[str, list[str]]]:
    """A server on the loopback: its address, and the paths that were asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            del format, args

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


def rendered(path: Path, home: Path) -> str:
    """The document as the browser has it after loading."""
    assert BROWSER is not None
    command = [
        BROWSER,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        f"--user-data-dir={home / 'profile'}",
        "--virtual-time-budget=2000",
        "--dump-dom",
        path.as_uri(),
    ]
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_listener_hears_what_a_page_loads(tmp_path: Path) -> None:
    with listening() as (address, asked):
        page = tmp_path / "page.html"
        page.write_text(
            f"<!DOCTYPE html><title>x</title><img src='{address}/seen'><script>document.title='ran'</script>"
        )
        dom = rendered(page, tmp_path)
    assert asked == ["/seen"]
    assert "<title>ran</title>" in dom


def test_a_report_requests_nothing_and_runs_nothing(tmp_path: Path) -> None:
    with listening() as (address, asked):
        evil = f"<img src='{address}/img'><script>fetch('{address}/js');document.title='ran'</script>url({address}/css)"
        world = write_hostile_world(tmp_path, evil)
        report = report_of(jp.judge(world / "runs", world / "registry"), EVIL_RUN)
        path = tmp_path / "report.html"
        path.write_bytes(as_html(report))
        dom = rendered(path, tmp_path)
    assert asked == []
    page = page_of(dom.encode())
    assert not page.named("script", "img", "iframe", "object", "link")
    assert page.named("title")[0].text.endswith("gate FAILED")
    assert len(page.named("details")) == 3
    assert f"{address}/img" in page.named("main")[0].text
