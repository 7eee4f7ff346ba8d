"""Arrays of records and JSON lines come out as a table; what is no table says why."""

import bz2
import gzip

import pytest

import twosample as ts
from twosample.sources import infer_kinds, open_table

JSON = {
    "array.json": '[{"a": 1, "b": "x"}, {"a": 2.5, "b": null}, {"b": "y", "c": {"d": 1}}]',
    "pretty.json": '\ufeff\n[\n  {\n    "a": 1,\n    "b": "x"\n  },\n  {"a": 2.5}, {"b": "y", "c": {"d": 1}}\n]\n',
    "lines.json": '{"a": 1, "b": "x"}\n{"a": 2.5, "b": null}\n{"b": "y", "c": {"d": 1}}\n',
}


@pytest.mark.parametrize("name", JSON)
@pytest.mark.parametrize("packing", ["", ".gz", ".bz2"])
def test_json(tmp_path, name, packing):
    pack = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress}[packing]
    path = tmp_path / (name + packing)
    path.write_bytes(pack(JSON[name].encode()))
    table = open_table(path)
    assert table.collect(["a", "b"]).rows() == [(1.0, "x"), (2.5, None), (None, "y")]
    kinds = {kind.name: kind for kind in infer_kinds(table, table.profile(), table.collect())}
    assert kinds["c"].kind == "unsupported"
    assert "give what is in it as columns, or say kind text" in kinds["c"].reason
    said = infer_kinds(table, table.profile(), table.collect(), {"c": "text"})
    assert said[2].kind == "text"


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ('{"meta": 1, "rows": [{"a": 1}]}', r"array of records in 'rows'.*jq '\.\[\"rows\"\]'"),
        ('{\n "rows": [\n {"a": 1}, {"a": 2}\n ]\n}', "array of records in 'rows'"),
        ('{\n "a": [1, 2],\n "b": [3, 4]\n}', "array of records"),
        ('{"a": [1, 2], "b": [3, 4]}', "one object, not a list of records"),
        ("[1, 2]", "array of records"), ("[[1, 2], [3, 4]]", "array of records"), ("3", "array of records"),
        ('[{"a": NaN}]', "NaN is no JSON"), ('[{"a": 1}', "array of records"), ('[{"a": 1}, 3]', "array of records"),
        ("[]", "no columns"), ("", "array of records"),
        ('[{"b": null}, {"b": 3}, {"b": {"x": 1}}]', "'b' is a plain value in record 2 and an object in record 3"),
        ('[{"b": [1]}, {"b": 3}]', "'b' is an array in record 1 and a plain value in record 2"),
        ('[{"b": {"x": 1}}, {"b": {"x": [1]}}]', "'b.x' is a plain value in record 1 and an array in record 2"),
        ('[{"b": [1, {"x": 1}]}]', r"'b\[\]' is a plain value in record 1 and an object in the same record"),
    ],
)  # fmt: skip
def test_json_that_is_no_table(tmp_path, text, match):
    path = tmp_path / "t.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ts.SourceError, match=match) as caught:
        open_table(path)
    assert str(path) in str(caught.value)
