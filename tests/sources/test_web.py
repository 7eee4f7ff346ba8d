"""Tables by https: fetched whole or not at all, and nobody learns the password. The server here is a local one."""

import gzip
import threading
from base64 import b64encode
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.sources import open_table, web

FRAME = pl.DataFrame({"x": np.arange(300) / 7, "s": ["ä", "b", "c"] * 100})
CSV = FRAME.write_csv().encode()
CONTENT = {
    "/a.csv": CSV, "/a.csv.gz": gzip.compress(CSV), "/download": CSV, "/api": FRAME.write_json().encode(),
    "/latin.csv": CSV.decode().encode("latin-1"), "/page": b"<!DOCTYPE html><html><body>log in</body></html>",
    "/empty.csv": b"", "/broken.parquet": b"PAR1 and no more",
}  # fmt: skip
LOGIN = "Basic " + b64encode(b"ada:s3 cret").decode()


class Handler(BaseHTTPRequestHandler):
    """Answers by path; `asked` keeps what it was asked."""

    asked = []  # noqa: RUF012 - shared by the test that reads it

    def do_GET(self):
        path = self.path.partition("?")[0]
        self.asked.append((self.path, self.headers.get("Authorization")))
        if path == "/private.csv" and self.headers.get("Authorization") != LOGIN:
            self.send_error(401)
        elif path == "/gone.csv":
            self.send_error(404)
        elif path.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/to/"))
            self.end_headers()
        else:
            data = CONTENT.get(path, CSV)
            self.send_response(200)
            self.send_header("Content-Length", str(len(data) + (1000 if path == "/short.csv" else 0)))
            self.end_headers()
            if path == "/slow.csv":
                threading.Event().wait(2)
            self.wfile.write(data)

    def log_message(self, *arguments):
        del arguments


@pytest.fixture(scope="module")
def server():
    found = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=found.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{found.server_port}"
    found.shutdown()
    found.server_close()


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path


@pytest.mark.parametrize("path", ["a.csv", "a.csv.gz", "download", "api", "download?key=t0ken", "to//a.csv"])
def test_what_is_fetched_is_the_table(server, here, path):
    table = open_table(f"http://{server}/{path}")
    assert table.name == f"http://{server}/{path.partition('?')[0]}"
    assert table.collect().equals(FRAME)
    assert "fetched 0.0" in table.notes[0]
    assert "t0ken" not in repr((table.name, table.notes))
    assert open_table(f"http://{server}/{path}", where="s = 'b'").row_count() == 100
    del table
    assert list(here.iterdir()) == []


def test_encodings_and_comparisons(server, here):
    assert open_table(f"http://{server}/latin.csv", encoding="latin-1").collect().equals(FRAME)
    found = ts.compare(f"http://{server}/a.csv", FRAME)
    assert "Identical" in found.headline
    assert any("fetched" in note for note in found.notes)
    assert list(here.iterdir()) == []


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("gone.csv", "404 Not Found. Check the address"), ("private.csv", "asks for a user"),
        ("short.csv", "broke off after"), ("page", "a web page, not a table"), ("empty.csv", "is empty"),
        ("broken.parquet", "damaged"), ("latin.csv", "encoding='latin-1'"), ("a.csv::Sheet", "only a database or a"),
        ("to/file:///etc/passwd", "leads in circles, or where nothing is"),
        ("to/http://example.org/a.csv", "by http may have been changed"),
        ("to/to/to/to/to/to/to/to/to/to/to/to/a.csv", "cannot be fetched"),
    ],
)  # fmt: skip
def test_what_fails_says_why_and_leaves_nothing(server, here, path, words):
    with pytest.raises(ts.SourceError, match=words) as caught:
        open_table(f"http://{server}/{path}")
    assert server in str(caught.value)
    assert caught.value.__context__ is None
    assert str(here) not in str(caught.value)
    assert list(here.iterdir()) == []


def test_passwords_reach_their_host_and_no_message(server, here):
    Handler.asked.clear()
    table = open_table(f"http://ada:s3%20cret@{server}/private.csv?token=t0ken")
    assert table.collect().equals(FRAME)
    assert Handler.asked == [("/private.csv?token=t0ken", LOGIN)]
    assert "s3" not in repr((table.name, table.notes))
    with pytest.raises(ts.SourceError) as caught:
        open_table(f"http://ada:wr0ng@{server}/private.csv?token=t0ken")
    assert "wr0ng" not in str(caught.value)
    assert "t0ken" not in str(caught.value)
    Handler.asked.clear()
    port = server.rpartition(":")[2]
    open_table(f"http://ada:s3%20cret@{server}/to/http://localhost:{port}/a.csv")
    assert Handler.asked[-1] == ("/a.csv", None)  # another host does not learn it


def test_servers_that_are_silent_or_not_there(server, here, monkeypatch):
    monkeypatch.setattr(web, "_SECONDS", 0.2)
    with pytest.raises(ts.SourceError, match=r"silent|no answer"):
        open_table(f"http://{server}/slow.csv")
    with pytest.raises(ts.SourceError, match="cannot be fetched"):
        open_table("http://127.0.0.1:9/a.csv")
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("address", ["http://example.org/a.csv", "https://", "http://[::1", "HTTP://example.org/a.csv"])
def test_addresses_that_are_not_asked(address):
    with pytest.raises(ts.SourceError, match=r"https://"):
        open_table(address)
