"""Tables of Delta and Iceberg with rows that a log deletes, as Spark writes them: no Python library does."""

import json
import struct

import polars as pl

_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


def delta_log(folder, version, *actions):
    """Add a version to the log of a Delta table."""
    text = "".join(json.dumps(action) + "\n" for action in actions)
    (folder / "_delta_log" / f"{version:020}.json").write_text(text, encoding="utf-8")


def delta_actions(folder, version=0):
    """What a version of the log says."""
    text = (folder / "_delta_log" / f"{version:020}.json").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def protocol(*features, version=3):
    """The action that asks readers to know some features."""
    names = {"readerFeatures": list(features), "writerFeatures": list(features)} if version == 3 else {}
    return {"protocol": {"minReaderVersion": version, "minWriterVersion": 7 if version == 3 else 5, **names}}


def delete_delta_rows(folder, rows):
    """Delete rows of the only file of a Delta table by a deletion vector in the log, as version 1."""
    add = next(action["add"] for action in delta_actions(folder) if "add" in action)
    bits = struct.pack("<IIHHI", 12346, 1, 0, len(rows) - 1, 16) + struct.pack(f"<{len(rows)}H", *rows)
    raw = struct.pack("<IqI", 1681511377, 1, 0) + bits
    vector = {"storageType": "i", "pathOrInlineDv": _z85(raw), "sizeInBytes": len(raw), "cardinality": len(rows)}
    remove = {"path": add["path"], "deletionTimestamp": 1, "dataChange": True}
    delta_log(folder, 1, protocol("deletionVectors"), {"remove": remove}, {"add": {**add, "deletionVector": vector}})


def _z85(data):
    data += bytes(-len(data) % 4)
    words = [int.from_bytes(data[at : at + 4], "big") for at in range(0, len(data), 4)]
    return "".join(_Z85[word // 85**power % 85] for word in words for power in (4, 3, 2, 1, 0))


def iceberg_table(folder, *parts):
    """An Iceberg table with one snapshot for each frame; its pyiceberg table, and its folder."""
    from pyiceberg.catalog.memory import InMemoryCatalog

    catalog = InMemoryCatalog("tests", warehouse=folder.as_uri())
    catalog.create_namespace("n")
    table = catalog.create_table("n.t", schema=parts[0].to_arrow().schema)
    for part in parts:
        table.append(part.to_arrow())
    return table, folder / "n" / "t"


def delete_iceberg_rows(table, folder, rows, by_value=False):
    """A snapshot with a delete file: positions in the only data file of the table, or values of its first column."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyiceberg import manifest as m

    class Deletes(m.ManifestWriterV2):
        def content(self):
            return m.ManifestContent.DELETES

        @property
        def _meta(self):
            return {**super()._meta, "content": "deletes"}

    def field(name, kind, number):
        return pa.field(name, kind, False, {b"PARQUET:field_id": str(number).encode()})

    data = next(iter(table.scan().plan_files())).file.file_path
    if by_value:
        columns, schema = [rows], [field(table.schema().fields[0].name, pa.float64(), 1)]
    else:
        columns = [[data] * len(rows), rows]
        schema = [field("file_path", pa.string(), 2147483546), field("pos", pa.int64(), 2147483545)]
    bounds = {} if by_value else {2147483546: data.encode()}
    place, snapshot, number = folder / "data" / "deletes.parquet", 4711, table.metadata.last_sequence_number + 1
    arrays = [pa.array(values, part.type) for values, part in zip(columns, schema, strict=True)]
    pq.write_table(pa.table(arrays, pa.schema(schema)), place)
    file = m.DataFile.from_args(
        content=m.DataFileContent.EQUALITY_DELETES if by_value else m.DataFileContent.POSITION_DELETES,
        file_path=place.as_uri(), file_format=m.FileFormat.PARQUET, partition=m.Record(), record_count=len(rows),
        file_size_in_bytes=place.stat().st_size, column_sizes={}, value_counts={}, null_value_counts={},
        nan_value_counts={}, lower_bounds=bounds, upper_bounds=bounds, split_offsets=[4],
        equality_ids=[1] if by_value else None,
    )  # fmt: skip
    manifests = table.current_snapshot().manifests(table.io)
    entry = m.ManifestEntry.from_args(status=m.ManifestEntryStatus.ADDED, snapshot_id=snapshot, data_file=file)
    output = _output(table, folder / "metadata" / "deletes.avro")
    with Deletes(table.spec(), table.schema(), output, snapshot, "null") as new:
        new.add_entry(entry)
    listed = folder / "metadata" / "list.avro"
    with m.write_manifest_list(2, _output(table, listed), snapshot, None, number, "null") as writer:
        writer.add_manifests([*manifests, new.to_manifest_file()])
    metadata = json.loads(table.metadata.model_dump_json())
    entry = {"snapshot-id": snapshot, "sequence-number": number, "timestamp-ms": metadata["last-updated-ms"] + 1,
             "manifest-list": listed.as_uri(), "summary": {"operation": "delete"}, "schema-id": 0}  # fmt: skip
    metadata |= {"snapshots": [*metadata["snapshots"], entry], "current-snapshot-id": snapshot}
    metadata |= {"last-sequence-number": number, "refs": {"main": {"snapshot-id": snapshot, "type": "branch"}}}
    (folder / "metadata" / "00099-deletes.metadata.json").write_text(json.dumps(metadata), encoding="utf-8")


def _output(table, place):
    return table.io.new_output(place.as_uri())


def numbers(value, rows=1000):
    """A frame of one number."""
    return pl.DataFrame({"x": [float(value)] * rows})
