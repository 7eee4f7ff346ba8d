"""Object stores by URL: the same rows as on this machine, lakes as such, credentials in no message."""

import gzip
import io
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.sources import open_table

RNG = np.random.default_rng(0)
FRAME = pl.DataFrame({"x": RNG.normal(size=600), "s": RNG.choice(["a", "b"], 600), "code": ["007", "12"] * 300})
SECRET = "hunter2hunter2"
CSV = FRAME.write_csv(separator=";").encode()


def packed(frame):
    file = io.BytesIO()
    frame.write_parquet(file)
    return file.getvalue()


FILES = {
    "shop/a.parquet": packed(FRAME[:400]),
    "shop/b.parquet": packed(FRAME[400:]),
    "years/year=2023/a.parquet": packed(FRAME[:100]),
    "years/year=2024/a.parquet": packed(FRAME[100:]),
    "text/a.csv": CSV,
    "text/a.csv.gz": gzip.compress(CSV),
    "text/a.jsonl": FRAME.write_ndjson().encode(),
    "lake/_delta_log/00000000000000000000.json": b'{"commitInfo":{}}\n',
    "lake/a.parquet": packed(FRAME),
    "ice/metadata/v1.metadata.json": b"{}\n",
    "ice/data/a.parquet": packed(FRAME),
}


class Store(BaseHTTPRequestHandler):
    """As much of S3 as reading takes: objects, parts of them, and lists."""

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        parts = urlsplit(self.path)
        key = unquote(parts.path).partition("/bucket/")[2]
        query = parse_qs(parts.query)
        if not key and "list-type" in query:
            prefix = query.get("prefix", [""])[0]
            found = "".join(
                f"<Contents><Key>{escape(name)}</Key><Size>{len(body)}</Size><ETag>1</ETag>"
                "<LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>"
                for name, body in FILES.items()
                if name.startswith(prefix)
            )
            self.answer(200, f"<ListBucketResult><IsTruncated>false</IsTruncated>{found}</ListBucketResult>".encode())
        elif key == "forbidden.parquet":
            self.answer(403, f"<Error><Message>{SECRET} may not read</Message></Error>".encode())
        elif key not in FILES:
            self.answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
        else:
            self.part(FILES[key])

    def part(self, body):
        first, _, last = self.headers.get("Range", "").removeprefix("bytes=").partition("-")
        if not first and not last:
            self.answer(200, body)
            return
        start = int(first) if first else max(len(body) - int(last), 0)
        stop = min(int(last) + 1, len(body)) if first and last else len(body)
        self.answer(206, body[start:stop], f"bytes {start}-{stop - 1}/{len(body)}")

    def answer(self, code, body, part=None):
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", "1")
        self.send_header("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
        if part is not None:
            self.send_header("Content-Range", part)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module", params=["plain", "moto"])
def store(request):
    """The address of a server of S3 with all files in a bucket: a few lines of ours, or moto's."""
    import os

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
        patch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
        patch.setenv("AWS_REGION", "us-east-1")
        patch.setenv("AWS_ALLOW_HTTP", "true")
        if request.param == "plain":
            server = ThreadingHTTPServer(("127.0.0.1", 0), Store)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            patch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_address[1]}")
            yield os.environ["AWS_ENDPOINT_URL"]
            server.shutdown()
            server.server_close()
            return
        moto = pytest.importorskip("moto.server", reason="pip install 'moto[server]' to test with it, too")
        import boto3

        server = moto.ThreadedMotoServer(port=0, verbose=False)
        server.start()
        patch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.get_host_and_port()[1]}")
        client = boto3.client("s3", endpoint_url=os.environ["AWS_ENDPOINT_URL"])
        client.create_bucket(Bucket="bucket")
        for name, body in FILES.items():
            client.put_object(Bucket="bucket", Key=name, Body=body)
        yield os.environ["AWS_ENDPOINT_URL"]
        server.stop()


@pytest.mark.parametrize("path", ["shop/*.parquet", "shop/", "shop", "text/a.csv", "text/a.csv.gz", "text/a.jsonl"])
def test_the_same_rows_as_here(store, path):
    table = open_table(f"s3://bucket/{path}")
    assert table.collect().equals(FRAME)
    assert table.name == f"s3://bucket/{path}"
    assert ts.compare(table, FRAME).verdict != "different"


def test_folders_with_keys(store):
    found = open_table("s3://bucket/years/year=*/*.parquet").collect()
    assert found["year"].value_counts().sort("year").rows() == [(2023, 100), (2024, 500)]


def test_conditions_and_single_files(store):
    table = open_table("s3://bucket/shop/a.parquet", where="s = 'a'")
    assert table.row_count() == (FRAME[:400]["s"] == "a").sum()


@pytest.mark.parametrize("store", ["plain"], indirect=True)
def test_web_servers(store):
    """A URL with a signature: nobody sees it."""
    url = f"{store}/bucket/shop/a.parquet"
    found = open_table(f"{url}?signature={SECRET}")
    assert found.collect().equals(FRAME[:400])
    assert found.name == url
    with pytest.raises(ts.SourceError, match="404 Not Found") as caught:
        open_table(f"{store}/bucket/none.parquet?signature={SECRET}")
    assert SECRET not in str(caught.value)
    with pytest.raises(ts.SourceError, match="does not list"):
        open_table(f"{store}/bucket/shop/*.parquet")


def test_lakes_are_not_read_as_files(store):
    with pytest.raises(ts.SourceError, match="Delta"):
        open_table("s3://bucket/lake/*.parquet")
    with pytest.raises(ts.SourceError, match="Iceberg"):
        open_table("s3://bucket/ice")
    with pytest.raises(ts.TwosampleError):  # its log says nothing
        open_table("s3://bucket/lake").collect()
    assert open_table("s3://bucket/lake/a.parquet").row_count() == 600


@pytest.mark.parametrize("path", ["none.parquet", "none/*.parquet", "text/a.csv.bz2", "book.xlsx", "what.odd"])
def test_what_cannot_be_read(store, path):
    with pytest.raises(ts.SourceError, match=r"s3://bucket/") as caught:
        open_table(f"s3://bucket/{path}").collect()
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("store", ["plain"], indirect=True)
def test_credentials_are_not_shown(store):
    """Not even if the server repeats them."""
    with pytest.raises(ts.SourceError, match=r"s3://bucket/forbidden\.parquet.*\*\*\*") as caught:
        open_table("s3://bucket/forbidden.parquet").collect()
    assert SECRET not in str(caught.value)
    assert caught.value.__context__ is None
