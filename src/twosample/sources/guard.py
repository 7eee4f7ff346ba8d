"""Errors of other libraries become ours: one kind, one sentence, the source by its name, never its password."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar
from urllib.parse import unquote, urlsplit

from ..errors import MissingExtraError, SourceError, TwosampleError

Value = TypeVar("Value")

_CODES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|[^\S\n ]|[\x00-\x09\x0b-\x1f\x7f-\x9f]")  # colours, control characters
_THEIRS = re.compile(r"Resolved plan|This error occurred|Consider setting|You might want|\(create native|\bContext:")
"""Where a message turns to plans of polars, and to advice about arguments that our user does not have."""
_FOREIGN = (
    ("lzma", "LZMAError"),
    ("zlib", "error"),
    ("polars.exceptions", "PolarsError"),
    ("polars.exceptions", "PanicException"),
    ("narwhals.exceptions", "NarwhalsError"),
    ("duckdb", "Error"),
    ("ibis.common.exceptions", "IbisError"),
    ("sqlglot.errors", "SqlglotError"),
    ("psycopg", "Error"),
    ("sqlite3", "Error"),
    ("adbc_driver_manager", "Error"),
    ("pyarrow", "ArrowException"),
    ("fastexcel", "FastExcelError"),
    ("MySQLdb", "Error"),
    ("pymysql", "Error"),
    ("deltalake.exceptions", "DeltaError"),
    ("pyspark.errors", "PySparkException"),
    ("py4j.protocol", "Py4JError"),
    ("grpc", "RpcError"),
    ("distributed.client", "FutureCancelledError"),
    ("distributed.scheduler", "KilledWorker"),
)
_TRACE = "Traceback (most recent call last)"
_CALL = re.compile(r"An error occurred while calling [^\n]*\n")  # Py4J before what Java says
_RAISED = re.compile(r"^(?:[\w.]+\.)?(\w*(?:Error|Exception|Exit|Warning|Interrupt)\b.*)", re.MULTILINE)
_LOGIN = re.compile(r"(?<=://)[^/\s@]*@")
_SECRET = r"[\w.-]*(?:passw(?:or)?d|pwd|secret|token|credential|access[._-]?key)[\w.-]*\s*[=:]\s*"
_KEY = re.compile(rf"(?i)\b({_SECRET})[^\s&;,'\")]+")
_ADVICE = (
    (("no module named", "modulenotfound"),
     "Install twosample where the workers run (on Spark, PYSPARK_PYTHON says which Python they take)."),
    (("killedworker", "executorlost", "worker died", "exited unexpectedly", "killed by external signal"),
     "Workers were lost again and again, perhaps for lack of memory: give them more, or make smaller partitions."),
    (("outofmemory", "java heap space", "maxresultsize", "gc overhead"),
     "The engine ran out of memory: give it more (spark.driver.memory), or select fewer columns."),
    (("sparkcontext was shut down", "stopped sparkcontext", "answer from java side is empty", "java gateway",
      "statuscode.unavailable", "session is not active", "session_closed", "commclosed", "scheduler", "cancelled"),
     "The connection to the engine was lost: start its session again."),
    (("no such file", "not found (os error", "does not exist (os"), "Check the path."),
    (("permission denied", "os error 13"), "Check who may read it."),
    (("password authentication", "no password supplied", "authentication failed", "access denied for user"),
     "Check user and password."),
    (
        ("connection refused", "can't connect to", "could not translate", "name or service", "timeout expired",
         "no route", "unreachable"),
        "Check host and port, and that the server runs.",
    ),
    (
        ("server closed the connection", "connection is closed", "consuming input failed", "terminating connection",
         "ssl syscall", "connection is lost", "broken pipe", "reset by peer"),
        "The connection was lost: try again.",
    ),
    (("read-only transaction", "read-only mode", "readonly database"), "A source is only read: give a SELECT."),
    (("par1", "out of spec", "out-of-spec", "truncated", "unexpected eof", "corrupt", "footer", "invalid argument (os",
      "zip archive", "end-of-stream", "decompressing", "not supported by decoder", "not a gzipped"),
     "The file is damaged or not of this format: write it again, or give it the right extension."),
    (("utf-8", "utf8"), "The text is not in UTF-8: name its encoding, such as encoding='latin-1' or 'utf-16'."),
    (("more fields than", "ragged"), "Some lines have more fields than the first: check separator and quotes."),
    (("empty csv", "empty reader", "no data"), "The file is empty: it needs at least a header."),
    (("csv malformed",), "Perhaps a quote is not closed: check quotes and separator."),
    (("syntax at character", "supertype"), "Each line must be an object of JSON, with values of one type for a name."),
    (("'date/datetime/time' to a string", "cannot check for date", "cannot check for time"),
     "Write DATE '1997-05-04', TIMESTAMP '1997-05-04 12:00:00' or TIME '12:00:00'."),
    (("between series",), "Both sides must have one type; with a time zone: TIMESTAMP WITH TIME ZONE '1997-05-04'."),
    (("string with numeric", "values in list(string)"), "Write texts in quotes, and numbers without."),
    (("int256",), "Decimals of more than 38 digits are not read: cast that column to double, or write Parquet."),
    (("could not parse",), "A column changes its type far down in the file: write Parquet, or make it one type."),
)  # fmt: skip


@dataclass(frozen=True)
class Guard:
    """Runs what may fail, and names the source in the error."""

    name: str  # the source as it may be shown
    secrets: tuple[str, ...] = ()  # texts that no message may hold
    everything: bool = False  # whether every exception is one of another library, known or not

    def __repr__(self) -> str:
        return f"Guard({self.name!r})"

    def run(self, action: Callable[[], Value]) -> Value:
        """The value of an action, or a SourceError that holds no other exception."""
        try:
            return action()
        except TwosampleError:
            raise
        except self.caught() as error:
            failure = self.error(error)
        raise failure  # outside of the except clause: the original, which may hold a password, is not its context

    def caught(self) -> tuple[type[BaseException], ...]:
        """The exceptions that become ours."""
        return (Exception, *foreign()) if self.everything else foreign()

    def against_all(self) -> Guard:
        """The same for what runs in an engine, where the user's own functions may raise anything, or in its client."""
        return replace(self, everything=True)

    def each(self, start: Callable[[], Iterator[Value]]) -> Iterator[Value]:
        """The same for what comes one after another."""
        steps = self.run(lambda: iter(start()))
        end = object()
        while True:
            step = self.run(lambda: next(steps, end))
            if step is end:
                return
            yield step  # type: ignore[misc]

    def error(self, error: BaseException) -> TwosampleError:
        """Ours for theirs."""
        if isinstance(error, ImportError):
            return MissingExtraError(f"{self.name}: {self.clean(str(error))}")
        kind = "" if isinstance(error, foreign()) and str(error) else f"{type(error).__name__}: "
        text = self.clean(f"{kind}{error}".removesuffix(": "))
        return SourceError(f"{self.name} cannot be read: {text} {advice(text, error)}".rstrip())

    def clean(self, text: str) -> str:
        """The first lines of a message, without secrets."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        text = _KEY.sub(r"\1***", _LOGIN.sub("***@", _CODES.sub("", _CALL.sub("", text))))
        raised = _RAISED.findall(text.partition(_TRACE)[2])
        if raised:  # in a worker: what was raised there stands at the end, or before what was raised by that
            text = raised[-1]
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        text = _THEIRS.split(" ".join(lines[:2]))[0][:400].strip()
        return text if text.endswith((".", "!", "?")) else text + "."


def advice(text: str, error: BaseException) -> str:
    """What to do about a message."""
    lowered = text.lower()
    if isinstance(error, FileNotFoundError):
        return "Check the path."
    return next((what for signs, what in _ADVICE if any(sign in lowered for sign in signs)), "")


def foreign() -> tuple[type[BaseException], ...]:
    """The exceptions of the libraries that are loaded, and those of the operating system."""
    known: list[type[BaseException]] = [OSError, EOFError, UnicodeError, ImportError, MemoryError]
    for module, name in _FOREIGN:
        found = getattr(sys.modules.get(module), name, None)
        if isinstance(found, type) and issubclass(found, BaseException):
            known.append(found)
    return tuple(known)


def redacted(url: str) -> tuple[str, tuple[str, ...]]:
    """A URL without credentials, and the texts that were taken out.

    >>> redacted("postgresql://ada:s3cret@db.example/shop?password=x1&sslmode=require")
    ('postgresql://db.example/shop', ('ada:s3cret@', 's3cret', 'password=x1&sslmode=require', 'x1'))
    """
    parts = urlsplit(url)
    login, at, host = parts.netloc.rpartition("@")
    secrets = [login + at] if at else []
    secret = login.partition(":")[2]
    secrets += [secret, unquote(secret)]
    if parts.query:
        secrets.append(parts.query)
        pairs = [pair.partition("=") for pair in parts.query.split("&")]
        secrets += [form for key, _, value in pairs if "pass" in key.lower() for form in (value, unquote(value))]
    found = tuple(dict.fromkeys(text for text in secrets if text))
    return f"{parts.scheme}://{host}{parts.path}", found
