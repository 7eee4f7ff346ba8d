"""All columns together: broken ties, twins and subgroups are seen; alike tables are not, at the level."""

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.core.groups import RowGroups
from twosample.structured.columns import side_by_side
from twosample.summaries import Scale
from twosample.tables.features import PooledColumn, pooled_column
from twosample.tables.ties import fits, label_scores, pair_of, pairs_view


def tables(seed, rows=1500):
    rng = np.random.default_rng(seed)
    base = rng.normal(size=2 * rows)
    columns = {f"x{i}": rng.normal(size=2 * rows) for i in range(13)}
    columns |= {"area": base, "price": base + 0.5 * rng.normal(size=2 * rows)}
    columns["shop"] = rng.choice(["A", "B", "C"], 2 * rows)
    halves = [{name: values[part] for name, values in columns.items()} for part in (slice(0, rows), slice(rows, None))]
    return halves[0], halves[1], rng


def test_one_shuffled_column_among_fifteen_makes_tables_different():
    a, b, rng = tables(0)
    b["price"] = rng.permutation(b["price"])
    c = ts.compare(a, b)
    assert c.joint_verdict == c.verdict == "different"
    assert c.joint_effect.low > 0.2  # not diluted by the fourteen others
    assert c["price"].verdict != "different"


def test_repeated_rows_and_a_drifting_subgroup_are_seen():
    a, b, _ = tables(1)
    again = {name: np.concatenate([values[:1350], values[:150]]) for name, values in b.items()}
    assert ts.compare(a, again).joint_verdict == "different"
    part = b["shop"] == "C"
    drifted = b | {"x3": np.where(part, b["x3"] + 0.6, b["x3"] - 0.3)}
    assert ts.compare(a, drifted).joint.pvalue <= 0.01


def test_the_level_of_the_joint_test():
    pvalues = np.array([ts.compare(*tables(seed, 60)[:2]).joint.pvalue for seed in range(2, 62)])
    assert (pvalues <= 0.05).mean() <= 0.15
    assert (pvalues <= 0.5).mean() == pytest.approx(0.5, abs=0.25)


def test_fits_are_regressions_on_the_other_columns():
    rng = np.random.default_rng(3)
    phi = rng.normal(size=(4000, 5))
    phi[:, 4] += phi[:, 0]
    phi = (phi - phi.mean(axis=0)) / phi.std(axis=0)
    owner = np.array([0, 0, 1, 1, 2])
    fitted, left = fits(phi, owner)
    others = phi[:, :4]
    plain = others @ np.linalg.solve(others.T @ others / 4000 + 0.01 * np.eye(4), others.T @ phi[:, 4] / 4000)
    assert fitted[:, 4] == pytest.approx(plain, abs=0.05)
    assert fitted + left == pytest.approx(phi)


def labelled(rng, rows, noise=0.0):
    """Columns, and labels that depend on them, some of which are those of other rows."""
    x = rng.normal(size=(rows, 4))
    label = np.argmax(x @ np.eye(4) + 0.3 * rng.normal(size=(rows, 4)), axis=1)
    wrong = np.flatnonzero(rng.random(rows) < noise)
    label[wrong] = label[rng.permutation(wrong)]
    return {**{f"x{i}": x[:, i] for i in range(4)}, "label": np.array(list("abcd"))[label]}


def test_label_scores_are_logs_of_shares_by_regression():
    rng = np.random.default_rng(5)
    table = labelled(rng, 900)
    codes = np.unique(table["label"], return_inverse=True)[1]
    codes = np.argsort(np.argsort(-np.bincount(codes), kind="stable"))[codes]
    x = np.column_stack([table[f"x{i}"] for i in range(4)])
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    one = [PooledColumn(f"x{i}", "numeric", x[:, [i]]) for i in range(4)]
    last = PooledColumn("label", "categorical", rng.normal(size=(900, 2)), codes)
    phi, owner = np.column_stack([x, last.values]), np.array([0, 1, 2, 3, 4, 4])
    scores, which = label_scores([*one, last], phi, owner)
    hits = np.eye(4)[codes]
    slopes = np.linalg.solve(x.T @ x + 900 * 0.01 * np.eye(4), x.T @ (hits - hits.mean(axis=0)))
    shares = np.maximum(x @ slopes + hits.mean(axis=0), 1e-3)
    assert which.tolist() == [4]
    assert scores[:, 0] == pytest.approx(np.log(shares[np.arange(900), codes] / shares.sum(axis=1)))
    assert label_scores(one, x, np.arange(4))[0].shape == (900, 0)


def test_a_few_wrong_labels_are_seen_and_named():
    rng = np.random.default_rng(6)
    c = ts.compare(labelled(rng, 2500), labelled(rng, 2500, noise=0.08))
    assert c.joint_verdict == "different"
    assert "label" in c.findings[0].columns


def test_pairs_are_numbered_by_their_columns():
    rng = np.random.default_rng(4)
    groups = RowGroups.of(600, 600, 100, 199, rng)
    phi = rng.normal(size=(1200, 6))
    phi[600:, 5] = phi[600:, 2]
    view = pairs_view(phi, np.array([0, 0, 1, 2, 2, 3]), groups)
    assert view.items.shape == (200, 6)
    assert pair_of(int(view.items[0].argmax()), 4) == (1, 3)


@pytest.mark.parametrize(("option", "column"), [("groups", "g"), ("time", "t"), ("design_weights", "w")])
def test_a_broken_dependence_is_not_called_small_by_a_design(option, column):
    rng = np.random.default_rng(5)

    def table(tie, letter):
        x, z = rng.normal(size=(2, 1000))
        noise = {f"n{i}": rng.normal(size=1000) for i in range(3)}
        beside = {"g": [f"{letter}{i}" for i in range(1000)], "t": np.arange(1000), "w": rng.uniform(1, 2, 1000)}
        return {"x": x, "y": tie * x + np.sqrt(1 - tie**2) * z, **noise, column: beside[column]}

    c = ts.compare(table(0.9, "a"), table(0.0, "b"), **{option: column})
    assert c.verdict == "different"
    assert c.joint_effect.low > 0.1


def test_coordinates_of_rows_are_those_of_records():
    """A table by columns has the kernel of its rows as records, missing values included."""
    rng = np.random.default_rng(8)
    frame = pl.DataFrame(
        {
            "age": [None if k % 7 == 3 else float(v) for k, v in enumerate(rng.normal(40, 9, 60))],
            "city": [None if k % 11 == 5 else str(v) for k, v in enumerate(rng.choice(["Oslo", "Rome", "Lima"], 60))],
            "note": [None if k % 13 == 1 else " ".join(rng.choice(["red", "door", "sun"], 3)) for k in range(60)],
        }
    )
    scale = Scale.of(frame["age"].drop_nulls().to_numpy())
    kinds = {"age": "numeric", "city": "categorical", "note": "text"}
    scales = {"age": scale}
    z = side_by_side([pooled_column(name, frame[name], kind, scales.get(name), 3)[0] for name, kind in kinds.items()])
    number = ts.Number(scale.width, scale.centre)
    kernel = ts.Record({"age": number, "city": "category", "note": "text"}, ts.Gaussian(1.0))
    wanted = kernel.block(frame.to_dicts(), frame.to_dicts())
    np.testing.assert_allclose(ts.Gaussian(1.0).block(z, z), wanted, rtol=1e-9)
