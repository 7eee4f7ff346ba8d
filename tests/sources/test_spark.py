"""Spark: classic and through Connect, on this machine. `make test-spark` runs it; it needs Java and pyspark."""

import json
import os
import shutil
import signal
import subprocess
import sys
import warnings
from contextlib import contextmanager
from pathlib import Path

import pytest

import twosample as ts
from tests.docs.pages import LEFT_OUT, blocks
from tests.sources.test_backends import check
from tests.sources.test_backends import table as backend_table
from tests.sources.test_partial import table
from twosample.sources import open_table, workers

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore")]
NAMES = ["x", "inf", "i", "day", "at", "flag", "city", "digits", "date", "money", "list", "pa`th.*\"'<b>"]


def started(builder, folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        settings = {
            "spark.ui.enabled": "false",
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.warehouse.dir": str(folder),
            "spark.ui.showConsoleProgress": "false",
        }
        for key, value in settings.items():
            builder = builder.config(key, value)
        return builder.getOrCreate()


@pytest.fixture(autouse=True)
def asked_of_workers(monkeypatch):
    """Small tables, too; one test is about those that are brought here."""
    monkeypatch.setattr(workers, "_HERE", -1)


@pytest.fixture(scope="module")
def sql():
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    return pytest.importorskip("pyspark.sql")


@pytest.fixture(scope="module")
def spark(sql, tmp_path_factory):
    session = started(sql.SparkSession.builder.master("local[2,4]"), tmp_path_factory.mktemp("spark"))
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Two tables, as Parquet."""
    folder = tmp_path_factory.mktemp("tables")
    for name, seed in (("a", 1), ("b", 2)):
        table(24_000, seed).select(NAMES).write_parquet(folder / f"{name}.parquet", use_pyarrow=True)
    return folder


def compared(session, files, count, **options):
    sides = [session.read.parquet(str(files / f"{name}.parquet")).repartition(count) for name in "ab"]
    return ts.compare(*sides, sample=3000, **options)


def batches(session):
    """How long batches are on their way to workers, where somebody has set it."""
    return [session.conf.get(name, None) for name in workers._UNMEASURED]


def columns(found):
    """All that is said of columns, texts apart, which are compared in the rows that were kept."""
    known = [part for part in found.columns if part.kind != "text"]
    return {
        part.name: (
            part.pvalue, part.kernel_pvalue, part.effect, part.effect_low, part.effect_high, part.missing_a, part.rows_a
        )
        for part in known
    }  # fmt: skip


@pytest.fixture(scope="module")
def wanted(spark, files):
    return compared(spark, files, 1)


def test_partitions_do_not_matter(spark, files, wanted):
    for count in (7, 20):
        found = compared(spark, files, count)
        assert columns(found) == columns(wanted)
        assert "on all rows" in found.notes[0]
    assert found.a.rows == 24_000


def test_the_same_as_the_table_in_memory(files, wanted):
    direct = ts.compare(files / "a.parquet", files / "b.parquet", sample=3000)
    assert wanted.verdict == direct.verdict
    assert {part.column for part in wanted.findings} == {part.column for part in direct.findings}
    for part in direct.columns:
        assert wanted[part.name].kind == part.kind
        assert wanted[part.name].missing_a == part.missing_a
        assert wanted[part.name].kernel_pvalue == pytest.approx(part.kernel_pvalue, abs=0.02)


def test_empty_and_skewed_partitions(spark, files, wanted):
    sides = []
    for name in "ab":
        frame = spark.read.parquet(str(files / f"{name}.parquet"))
        sides.append(frame.filter("i < 0").coalesce(1).union(frame.filter("i >= 0").repartition(3, "flag")))
    assert columns(ts.compare(*sides, sample=3000)) == columns(wanted)


def test_all_rows_are_not_collected(spark, files, monkeypatch):
    monkeypatch.setattr("twosample.sources.remote.HELD_ROWS", 2000)
    sides = [spark.read.parquet(str(files / f"{name}.parquet")).repartition(3) for name in "ab"]
    found = ts.compare(*sides, sample=10**12)
    assert 1900 <= found.a.sampled <= 2000  # whole groups of rows
    assert any("no more than 2,000 are held" in note for note in found.notes)
    assert found["i"].rows_a == 24_000


def test_without_workers_the_engine_answers(spark, files, monkeypatch):
    """All rows are never collected, and different values are counted about."""
    monkeypatch.setattr("twosample.sources.remote.HELD_ROWS", 2000)
    monkeypatch.setattr("twosample.sources.pullers.MOST_ROWS", 2000)
    sides = []
    for name in "ab":
        sides.append(open_table(spark.read.parquet(str(files / f"{name}.parquet")).select("i", "x", "city")))
        sides[-1]._rows.workers = None
    found = ts.compare(*sides, sample=10**12)
    assert found["i"].rows_a == 2000
    facts = {part.name: part for part in sides[0].profile()}
    assert facts["i"].distinct == pytest.approx(100, abs=8)
    assert facts["city"].distinct == 2
    with pytest.raises(ts.SourceError, match="not collected"):
        sides[0].collect()


def test_errors_are_ours(spark, files):
    from pyspark.sql import functions

    frame = spark.read.parquet(str(files / "a.parquet"))
    said = "jdbc:mysql://ada:hunter2@db.example/shop?password=hunter2 is away"
    broken = frame.withColumn("i", functions.raise_error(functions.lit(said)).cast("int"))
    with pytest.raises(ts.SourceError, match="is away") as caught:
        ts.compare(broken, frame)
    assert "hunter2" not in str(caught.value)
    assert caught.value.__context__ is None
    gone = spark.read.parquet(str(files / "a.parquet")).select("i")
    with pytest.raises(ts.SourceError, match="cannot be read"):
        ts.summarize(gone.withColumn("j", functions.expr("assert_true(i > 10000)")))


def test_workers_without_this_package(spark, files, monkeypatch):
    """What another Python without the package says, said by a worker."""

    def lacking(work):
        def of_batches(batches):
            raise ModuleNotFoundError("No module named 'twosample'")

        return of_batches

    monkeypatch.setattr(workers, "_spark_part", lacking)
    frame = spark.read.parquet(str(files / "a.parquet")).select("i", "flag")
    with pytest.warns(UserWarning, match="install twosample there"):
        assert open_table(frame).profile()[0].rows == 24_000


def test_tests_of_arrays(spark, files):
    """Sketches of all rows, made by the workers; small frames are collected."""
    frames = [spark.read.parquet(str(files / f"{name}.parquet")).select("i", "flag").repartition(3) for name in "ab"]
    one, two = (ts.Sketch.fit(frame.select("i")) for frame in frames)
    assert one.rows == two.rows == 24_000
    found = ts.mmd_test(*frames, rng=0)
    assert (found.m, found.n, found.columns) == (24_000, 24_000, 2)
    arrays = [frame.limit(60).toPandas().to_numpy(float) for frame in frames]
    local = ts.mmd_test(spark.createDataFrame(arrays[0].tolist(), "i double, flag double"), arrays[1], rng=0)
    assert local.pvalue == ts.mmd_test(*arrays, rng=0).pvalue
    with pytest.raises(ts.InputError, match="frame of Spark"):
        ts.mmd(*frames)


def test_every_row_in_the_joint_test(spark, files, monkeypatch):
    monkeypatch.setattr(sys.modules["twosample.tables.compare"], "HELD", 3000)
    sides = [spark.read.parquet(str(files / f"{name}.parquet")).repartition(5) for name in "ab"]
    found = ts.compare(*sides, sample=None, select=["x", "i", "at", "city"])
    assert (found.joint.m, found.joint.n) == (24_000, 24_000)
    assert "Joint test on all rows" in " ".join(found.joint.notes)


def test_summaries_hold_the_same_sums(spark, files):
    names = ["x", "i", "at", "city"]
    left, right = (spark.read.parquet(str(files / f"{name}.parquet")).repartition(5).select(names) for name in "ab")
    here = ts.summarize(open_table(files / "a.parquet").collect(names), rows=1000)
    there = ts.summarize(left, like=here)
    assert (there.sums.moments.sum(axis=0) == here.sums.moments.sum(axis=0)).all()
    assert ts.compare(there, right).joint.n == 24_000
    assert ts.compare(ts.summarize(left, rows=1000), right).joint.m == 24_000


def test_outliers_are_scored_where_rows_are(spark, files):
    frame = spark.read.parquet(str(files / "b.parquet")).select("i", "flag", "city")
    usual = open_table(files / "a.parquet").sample(1000).select("i", "flag", "city")
    there, here = ts.outliers(usual, frame), ts.outliers(usual, frame.toPandas())
    assert len(there.scores) == 24_000
    assert sorted(one.score for one in there.rows) == pytest.approx(sorted(one.score for one in here.rows), abs=1e-12)
    assert there.pvalue == here.pvalue


def test_the_suite_of_all_backends(spark, tmp_path):
    """Dates, zones, decimals, NaN and NULL, -0.0, nested types, hostile names."""
    frame = backend_table()
    frame.write_parquet(tmp_path / "t.parquet", use_pyarrow=True)
    check(open_table(spark.read.parquet(str(tmp_path / "t.parquet")).repartition(3)), open_table(frame), frame)


def test_no_rows_and_few(spark, files):
    frame = spark.read.parquet(str(files / "a.parquet"))
    assert ts.summarize(frame.filter("i > 10000")).rows == 0
    assert ts.summarize(frame.limit(5)).rows == 5
    with pytest.raises(ts.InputError, match="no rows"):
        ts.compare(frame.filter("i > 10000"), frame)


def slow(begun, executor=False):
    """Gives batches on slowly, and says who does: the Python worker, or the executor that started what started it."""

    def run(batches):
        import os
        import time
        from pathlib import Path

        who = os.getpid()
        if executor:
            who = int(Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()[1])
        with Path(begun).open("a") as file:
            file.write(f"{who}\n")
        for batch in batches:
            time.sleep(0.5)
            yield batch

    return run


def killed_once(frames, path):
    """A comparison, during which the first Python worker that began is killed by its id."""
    from threading import Event, Thread

    victims, done = [], Event()

    def kill():
        while not done.wait(0.05):  # a busy machine may take minutes to start an executor
            pids = path.read_text().split() if path.exists() else []
            if pids:
                victims.append(int(pids[0]))
                os.kill(victims[0], signal.SIGKILL)
                return

    assassin = Thread(target=kill)
    assassin.start()
    try:
        found = ts.compare(*frames, sample=3000)
    finally:
        done.set()
        assassin.join()
    return found, victims


def test_a_worker_that_is_killed(spark, files, wanted, tmp_path):
    """Spark runs its task again, and the answer is the same."""
    sides = []
    for name in "ab":
        frame = spark.read.parquet(str(files / f"{name}.parquet")).select(*NAMES[:-1]).repartition(4)
        sides.append(frame.mapInArrow(slow(str(tmp_path / "begun")), frame.schema))
    found, victims = killed_once(sides, tmp_path / "begun")
    assert victims
    assert columns(found) == {name: part for name, part in columns(wanted).items() if name != NAMES[-1]}
    assert len((tmp_path / "begun").read_text().split()) > 8


ELSEWHERE = """
import json, os, sys, warnings
warnings.simplefilter("ignore")
os.environ["PYSPARK_PYTHON"] = sys.executable
from pathlib import Path
from pyspark.sql import SparkSession
from tests.sources.test_spark import batches, columns, compared, started
from twosample.sources.workers import _unmeasured

builder = getattr(SparkSession.builder, {way!r})({where!r})
if {way!r} == "master":
    builder = builder.config("spark.executor.memory", "512m")
session = started(builder, {folder!r})
with _unmeasured(session.conf):
    during = batches(session)
print(json.dumps([columns(compared(session, Path({files!r}), {count})), during, batches(session)]))
session.stop()
"""


@pytest.mark.parametrize(
    ("way", "where"),
    [("remote", "local[2]"), pytest.param("master", "local-cluster[2,1,1024]", marks=pytest.mark.slow)],
)
def test_connect_and_a_cluster_of_processes(files, wanted, tmp_path, way, where):
    """The same bits through Connect, and from two executors; each in a process of its own."""
    if way == "remote":
        pytest.importorskip("grpc")
    code = ELSEWHERE.format(way=way, where=where, folder=str(tmp_path), files=str(files), count=5)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=170, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found, during, after = json.loads(done.stdout.splitlines()[-1])
    assert {name: tuple(values) for name, values in found.items()} == columns(wanted)
    assert (during, after) == ([str(2**31 - 1), "2048"], [None, None])


KILLED = """
import json, os, sys, warnings
warnings.simplefilter("ignore")
os.environ["PYSPARK_PYTHON"] = sys.executable
from pathlib import Path
from pyspark.sql import SparkSession
from tests.sources import test_spark as here

builder = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.executor.memory", "512m")
session, begun = here.started(builder, {folder!r}), Path({folder!r}) / "begun"
sides = []
for name in "ab":
    frame = session.read.parquet(str(Path({files!r}) / f"{{name}}.parquet")).select(*here.NAMES[:-1]).repartition(4)
    sides.append(frame.mapInArrow(here.slow(str(begun), executor=True), frame.schema))
found, victims = here.killed_once(sides, begun)
print(json.dumps([here.columns(found), victims, begun.read_text().split()]))
session.stop()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds the executor in /proc")
def test_an_executor_that_is_killed(files, wanted, tmp_path):
    """Another one starts, what it had made is made again, and the answer is the same."""
    code = KILLED.format(folder=str(tmp_path), files=str(files))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found, victims, begun = json.loads(done.stdout.splitlines()[-1])
    assert len(victims) == 1
    assert len({*begun}) >= 3  # two executors, and one in the place of the first
    known = {name: tuple(values) for name, values in found.items()}
    assert known == {name: part for name, part in columns(wanted).items() if name != NAMES[-1]}


def test_the_example_of_structured_streaming(spark, tmp_path, monkeypatch):
    """What docs/scale.md shows: quiet batches, then an alarm; a batch that is delivered twice is taken once."""
    import numpy as np
    import polars as pl

    rng = np.random.default_rng(0)

    def rows(shift=0.0, day=0):
        price = rng.normal(rng.normal(0, 0.1) + shift, 1, 200)
        return pl.DataFrame({"price": price, "items": rng.poisson(3, 200), "day": [f"2026-03-{day:02}"] * 200})

    pl.concat([rows(day=day) for day in range(1, 21)]).write_parquet(tmp_path / "orders.parquet", use_pyarrow=True)
    (tmp_path / "new").mkdir()
    for place in range(5):
        rows(shift=2.0 * (place > 1), day=99).write_parquet(tmp_path / "new" / f"{place}.parquet", use_pyarrow=True)
    orders = spark.read.parquet(str(tmp_path / "orders.parquet"))
    orders.createOrReplaceTempView("orders")
    stream = spark.readStream.schema(orders.schema).option("maxFilesPerTrigger", 1).parquet(str(tmp_path / "new"))
    text = (Path(__file__).parents[2] / "docs" / "scale.md").read_text()
    (code,) = [part for _, part in blocks(text.replace(LEFT_OUT, "")) if "foreachBatch" in part]
    code = code.replace('"..."', repr(str(tmp_path / "state"))).replace(
        ".start()", ".trigger(availableNow=True).start()"
    )
    monkeypatch.chdir(tmp_path)
    given = {"ts": ts, "spark": spark, "stream": stream}
    exec(code + "\nquery.awaitTermination()", given)  # noqa: S102 - our own page
    monitor = ts.Monitor.load("orders.monitor")
    assert not any(look.alarm for look in monitor.looks[:2])
    assert monitor.looks[-1].alarm
    assert monitor.columns[0].name == "price"
    assert len(monitor.looks) == 5
    given["look"](spark.read.parquet(str(tmp_path / "new" / "0.parquet")), 0)
    assert len(ts.Monitor.load("orders.monitor").looks) == 5


def test_few_partitions_come_back_as_they_are(spark):
    """Rows from a list have no estimate of their size; of up to eight partitions nothing is merged by other workers."""
    given = spark.createDataFrame([(float(i), f"c{i % 3}") for i in range(40)], ["x", "c"])
    assert workers.SparkWorkers(given).is_small
    assert not workers.SparkWorkers(given.repartition(3)).is_small  # not counted: that would run a job
    many = spark.sparkContext.parallelize([(float(i), f"c{i % 3}") for i in range(40)], 20).toDF(["x", "c"])
    assert not workers.SparkWorkers(many).is_small
    found = [ts.summarize(frame) for frame in (given, many)]
    assert [part.rows for part in found] == [40, 40]
    assert [part.columns[1].counts.values for part in found] == [{"c0": 14, "c1": 13, "c2": 13}] * 2


def test_bytes_of_batches_are_not_measured(spark, files, monkeypatch):
    """Nor does a setting of the session stay changed; one that somebody made is left alone."""
    during, real = [], workers._unmeasured

    @contextmanager
    def seen(settings):
        with real(settings):
            during.append(batches(spark))
            yield

    monkeypatch.setattr(workers, "_unmeasured", seen)
    monkeypatch.setattr(workers, "_SMALL", 0)
    frame = spark.read.parquet(str(files / "a.parquet")).repartition(3)
    assert ts.summarize(frame).rows == 24_000
    assert during == [[str(2**31 - 1), "2048"]]
    assert batches(spark) == [None, None]
    with pytest.raises(ZeroDivisionError), real(spark.conf):
        raise ZeroDivisionError
    assert batches(spark) == [None, None]
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "500")
    try:
        assert ts.summarize(frame).rows == 24_000
        assert during[1] == batches(spark) == [None, "500"]
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")


def test_where_nothing_may_be_set(spark):
    from pyspark.errors import PySparkException

    class Fixed:
        isModifiable, get = spark.conf.isModifiable, spark.conf.get

        def set(self, name, value):
            raise PySparkException(f"{name} is fixed")

    with workers._unmeasured(Fixed()):
        assert batches(spark) == [None, None]


def test_few_rows_brought_here_give_the_summary_that_workers_make(spark, monkeypatch):
    query = """
        select id, id / 3D as x, if(id % 7 = 0, double('nan'), id) as gaps, cast(id as decimal(12, 2)) as price,
               date_add(date'2024-01-01', int(id)) as day,
               timestamp'2024-03-31 01:30:00' + make_interval(0, 0, 0, id) as at,
               id % 2 = 0 as flag, concat('c', id % 5) as city, if(id % 4 = 0, null, string(id)) as words,
               array(id, 1) as list, cast(concat('b', id) as binary) as bytes, cast(null as int) as nothing
        from range(0, 300, 1, 1)
    """
    frame = spark.sql(query)
    assert workers.SparkWorkers(frame).is_small
    away = ts.summarize(frame)
    monkeypatch.setattr(workers, "_HERE", 300)
    monkeypatch.setattr(workers, "_spark_part", None)
    here = ts.summarize(frame)
    assert here.to_bytes() == away.to_bytes()
