"""Kernels that the user brings along: matrices and functions."""

import io
import zipfile

import numpy as np
import pytest

import twosample as ts
from tests import naive

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(7, 2)), RNG.normal(size=(9, 2)) + 0.7
Z = np.concatenate([X, Y])
GAUSSIAN = ts.Gaussian(1.2)
K = GAUSSIAN.block(Z, Z)


# --- Precomputed --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("statistic", ["biased", "unbiased", "linear", "block"])
def test_a_precomputed_matrix_gives_what_its_kernel_gives(statistic):
    expected = ts.mmd(X, Y, kernel=GAUSSIAN, statistic=statistic)
    kernel = ts.Precomputed(K, m=7)
    assert ts.mmd(None, None, kernel=kernel, statistic=statistic) == pytest.approx(expected, rel=1e-12)
    assert ts.mmd(range(7), range(7, 16), kernel=kernel, statistic=statistic) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("null", ["permutation", "bootstrap", "gamma"])
@pytest.mark.parametrize("engine", ["auto", "dense", "tiled"])
def test_a_precomputed_matrix_tests_as_its_kernel_tests(null, engine):
    a = ts.mmd_test(X, Y, kernel=GAUSSIAN, null=null, engine="dense", rng=1)
    b = ts.mmd_test(None, None, kernel=ts.Precomputed(K, m=7), null=null, engine=engine, rng=1)
    assert b.pvalue == pytest.approx(a.pvalue, rel=1e-9)
    assert b.statistic == pytest.approx(a.statistic, rel=1e-9)
    assert b.columns == 0


def test_rows_may_be_any_row_numbers():
    kernel = ts.Precomputed(K)
    rows_x, rows_y = [3, 0, 8], [1, 15, 12, 2]
    expected = naive.mmd2_unbiased(Z[rows_x], Z[rows_y], naive.of(GAUSSIAN))
    assert ts.mmd(rows_x, rows_y, kernel=kernel) == pytest.approx(expected, rel=1e-12)


def test_blocks_put_together():
    kernel = ts.Precomputed.from_blocks(K[:7, :7], K[:7, 7:], K[7:, 7:])
    np.testing.assert_array_equal(kernel.matrix, K)
    assert kernel.m == 7
    assert ts.mmd(None, None, kernel=kernel) == pytest.approx(ts.mmd(X, Y, kernel=GAUSSIAN), rel=1e-12)


def test_the_matrix_is_neither_copied_nor_modified():
    before = K.copy()
    kernel = ts.Precomputed(K, m=7)
    assert np.shares_memory(kernel.matrix, K)
    for engine in ("dense", "tiled"):
        ts.mmd_test(None, None, kernel=kernel, engine=engine, rng=0)
    np.testing.assert_array_equal(K, before)


def test_repr_and_bounds():
    assert repr(ts.Precomputed(K)) == "Precomputed(16 x 16)"
    assert ts.Precomputed(K).bounds is None  # the matrix shows the values at these points only


def test_integer_and_single_precision_matrices():
    assert ts.mmd(None, None, kernel=ts.Precomputed(np.eye(6, dtype=int), m=3)) == pytest.approx(0)
    single = ts.Precomputed(K.astype(np.float32), m=7)
    assert ts.mmd(None, None, kernel=single) == pytest.approx(ts.mmd(X, Y, kernel=GAUSSIAN), rel=1e-5)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.ones((3, 4)), r"square.*\(3, 4\)"),
        (np.ones(3), "square"),
        (np.empty((0, 0)), "not empty"),
        (np.array([[1.0, 2.0], [3.0, 1.0]]), r"not symmetric: entry \(0, 1\)"),
        (np.array([[1.0, np.nan], [np.nan, 1.0]]), "NaN or infinite"),
        (np.array([[1.0, 2.0], [2.0, 1.0]]), r"indefinite \(smallest eigenvalue -1\)"),
        (np.eye(3) * 1j, "real numbers"),
        (np.array([["a", "b"], ["b", "a"]]), "real numbers"),
    ],
    ids=["oblong", "flat", "empty", "asymmetric", "nan", "indefinite", "complex", "text"],
)
def test_bad_matrices(matrix, message):
    with pytest.raises(ts.InputError, match=message):
        ts.Precomputed(matrix)


def test_a_distance_matrix_is_not_a_kernel_and_the_message_says_what_to_do():
    D = np.abs(np.arange(5.0)[:, None] - np.arange(5.0))
    with pytest.raises(ts.InputError, match=r"indefinite.*double centring"):
        ts.Precomputed(D)


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_symmetry_and_definiteness_are_judged_in_the_units_of_the_matrix(scale):
    ts.Precomputed(scale * K)
    with pytest.raises(ts.InputError, match="indefinite"):
        ts.Precomputed(scale * np.array([[1.0, 2.0], [2.0, 1.0]]))
    with pytest.raises(ts.InputError, match="not symmetric"):
        ts.Precomputed(scale * np.array([[1.0, 0.5], [0.4, 1.0]]))


def test_singular_matrices_are_fine():
    for matrix in (np.ones((30, 30)), np.zeros((3, 3))):
        rows = np.arange(3.0)[:, None]
        assert (ts.Precomputed(matrix).block(rows, rows) == matrix[0, 0]).all()


@pytest.mark.parametrize("m", [0, 16, 17, -1, 1.5, "7"])
def test_bad_cut(m):
    with pytest.raises(ts.InputError, match=r"m="):
        ts.Precomputed(K, m=m)


@pytest.mark.parametrize(
    "blocks",
    [(K[:7, :7], K[7:, :7], K[7:, 7:]), (K[:7, :6], K[:7, 7:], K[7:, 7:]), (K[0], K[:7, 7:], K[7:, 7:])],
    ids=["transposed", "oblong", "flat"],
)
def test_blocks_that_do_not_fit(blocks):
    with pytest.raises(ts.InputError, match="Precomputed"):
        ts.Precomputed.from_blocks(*blocks)


@pytest.mark.parametrize(
    ("x", "y", "name"),
    [
        ([0, 1, 16], [2, 3], "x"),
        ([0, 1], [2, -1], "y"),
        ([0.5, 1], [2, 3], "x"),
        ([[0, 1], [2, 3]], [4, 5], "x"),
        ([0, 1], Y[:, 0], "y"),
    ],
)
def test_points_that_are_not_row_numbers(x, y, name):
    with pytest.raises(ts.InputError, match=rf"{name}.*row numbers"):
        ts.mmd_test(x, y, kernel=ts.Precomputed(K))


def test_masks_are_not_row_numbers():
    mask = np.arange(16) < 7
    with pytest.raises(ts.InputError, match="row numbers"):
        ts.mmd(mask, ~mask, kernel=ts.Precomputed(K))


def test_without_a_cut_there_must_be_rows():
    with pytest.raises(ts.InputError, match=r"row numbers of the matrix.*m=\.\.\."):
        ts.mmd_test(None, None, kernel=ts.Precomputed(K))


def test_scaled_and_summed_matrices_know_their_cut():
    assert ts.mmd(None, None, kernel=2 * ts.Precomputed(K, m=7)) == pytest.approx(2 * ts.mmd(X, Y, kernel=GAUSSIAN))
    both = ts.Precomputed(K, m=7) + ts.Precomputed(K)
    assert ts.mmd(None, None, kernel=both) == pytest.approx(2 * ts.mmd(X, Y, kernel=GAUSSIAN))


# --- files --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [None, 7])
def test_a_matrix_comes_back_from_its_file_as_it_was(tmp_path, m):
    ts.Precomputed(K, m=m).save(tmp_path / "gram")
    back = ts.Precomputed.load(tmp_path / "gram")
    assert np.array_equal(back.matrix, K)
    assert back.m == m
    ts.Precomputed(K[:3, :3]).save(tmp_path / "gram")  # replaced, and nothing else is left behind
    assert len(ts.Precomputed.load(str(tmp_path / "gram")).matrix) == 3
    assert [file.name for file in tmp_path.iterdir()] == ["gram"]


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    ts.Precomputed(K).save(tmp_path / "gram.npz")

    def fail(*args, **kwargs):
        raise OSError("disk full")

    monkeypatch.setattr("twosample.kernels.given.np.savez", fail)
    with pytest.raises(OSError, match="disk full"):
        ts.Precomputed(K[:3, :3]).save(tmp_path / "gram.npz")
    assert [file.name for file in tmp_path.iterdir()] == ["gram.npz"]
    assert len(ts.Precomputed.load(tmp_path / "gram.npz").matrix) == 16


def test_broken_and_foreign_files_are_refused(tmp_path):
    place = tmp_path / "gram.npz"
    ts.Precomputed(K, m=7).save(place)
    whole = place.read_bytes()
    for size in range(0, len(whole), 97):
        place.write_bytes(whole[:size])
        with pytest.raises(ts.InputError, match=r"gram\.npz is not a Gram matrix"):
            ts.Precomputed.load(place)
    middle = len(whole) // 2
    place.write_bytes(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :])
    with pytest.raises(ts.InputError, match="is not a Gram matrix"):
        ts.Precomputed.load(place)
    np.savez(place, matrix=K)
    with pytest.raises(ts.InputError, match="does not say 'twosample-gram-1'"):
        ts.Precomputed.load(place)
    np.save(tmp_path / "plain.npy", K)
    with pytest.raises(ts.InputError, match="is not a Gram matrix"):
        ts.Precomputed.load(tmp_path / "plain.npy")
    np.savez(place, format=np.array("twosample-gram-1"), matrix=np.array([object()]), m=np.array(0))
    with pytest.raises(ts.InputError, match="is not a Gram matrix"):
        ts.Precomputed.load(place)
    with pytest.raises(ts.InputError, match="no such file"):
        ts.Precomputed.load(tmp_path / "absent")


def test_a_precomputed_matrix_of_objects():
    graphs = [np.array([[0, 1], [1, 0]]), np.zeros((3, 3)), np.ones((2, 2)) - np.eye(2)]
    kernel = ts.graphs.WeisfeilerLehman(1)
    assert np.allclose(ts.Precomputed.of(kernel, graphs, m=1).matrix, kernel.block(graphs, graphs))
    with pytest.raises(ts.OptionError, match="no kernel on objects"):
        ts.Precomputed.of(GAUSSIAN, graphs)


# --- Functions ----------------------------------------------------------------------------------------------


def laplacian(a, b):
    return np.exp(-np.abs(a[:, None] - b[None]).sum(-1) / 1.7)


@pytest.mark.parametrize("engine", ["dense", "tiled"])
@pytest.mark.parametrize("statistic", ["biased", "unbiased", "linear", "block"])
def test_a_function_gives_what_the_built_in_kernel_gives(engine, statistic):
    a = ts.mmd_test(X, Y, kernel=laplacian, engine=engine, statistic=statistic, rng=0)
    b = ts.mmd_test(X, Y, kernel=ts.Laplace(1.7), engine="dense", statistic=statistic, rng=0)
    assert a.statistic == pytest.approx(b.statistic, rel=1e-12)
    assert a.pvalue == b.pvalue
    assert repr(a.kernel) == "FunctionKernel(laplacian)"


def test_a_function_never_sees_moved_points():
    """Only kernels that say so are fed centred points; a function gets the data as they are."""
    seen = []

    def spy(a, b):
        seen.append(a.copy())
        return a @ b.T

    ts.mmd(X + 100, Y + 100, kernel=spy)
    assert all((rows > 90).all() for rows in seen)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda a, b: np.zeros((len(b), len(a) + 1)), r"shape \(16, 17\).*\(16, 16\)"),
        (lambda a, b: 1.0, r"shape \(\)"),
        (lambda a, b: np.full((len(a), len(b)), np.nan), "not finite"),
        (lambda a, b: np.full((len(a), len(b)), np.inf), "not finite"),
        (lambda a, b: np.full((len(a), len(b)), 1j), "not finite real"),
        (lambda a, b: np.full((len(a), len(b)), "a"), "not finite real"),
        (lambda a, b: None, r"shape \(\)"),
    ],
    ids=["shape", "scalar", "nan", "inf", "complex", "text", "none"],
)
@pytest.mark.parametrize("engine", ["dense", "tiled"])
def test_a_function_that_returns_something_else(function, message, engine):
    with pytest.raises(ts.OptionError, match=message):
        ts.mmd_test(X, Y, kernel=function, engine=engine)


@pytest.mark.parametrize("engine", ["dense", "tiled"])
def test_an_error_in_a_function_arrives_as_it_is(engine):
    def broken(a, b):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        ts.mmd_test(X, Y, kernel=broken, engine=engine)


@pytest.mark.parametrize("engine", ["dense", ts.Tiled(), ts.Tiled(tile=5)], ids=["dense", "tiled", "small tiles"])
def test_what_a_function_returns_is_never_written_to(engine):
    """A function may hand out views of its own table, or arrays that cannot be written to."""
    table = GAUSSIAN.block(Z, Z)
    before = table.copy()

    def lookup(a, b):
        i, j = int(a[0, 0]), int(b[0, 0])
        return table[i : i + len(a), j : j + len(b)]

    index = np.arange(16.0)
    lone = ts.mmd_test(index[:7], index[7:], kernel=lookup, engine=engine, rng=0)
    np.testing.assert_array_equal(table, before)
    assert lone.statistic == pytest.approx(ts.mmd(X, Y, kernel=GAUSSIAN), rel=1e-10)
    frozen = ts.mmd_test(X, Y, kernel=lambda a, b: np.broadcast_to(1.0, (len(a), len(b))), engine=engine, rng=0)
    assert frozen.pvalue == 1


def test_integer_functions_and_many_points():
    x, y = np.arange(200) % 3, np.arange(150) % 4
    kernel = ts.FunctionKernel(lambda a, b: (a == b.T).astype(int))
    expected = naive.mmd2_unbiased(list(x), list(y), lambda a, b: float(a == b))
    assert ts.mmd(x, y, kernel=kernel) == pytest.approx(expected, rel=1e-10)


def test_diagonal_and_pairs_of_a_function_in_pieces():
    kernel = ts.FunctionKernel(laplacian)
    a, b = RNG.normal(size=(150, 2)), RNG.normal(size=(150, 2))
    np.testing.assert_allclose(kernel.pairs(a, b), ts.Laplace(1.7).pairs(a, b), rtol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(a), 1)
    assert kernel.pairs(a[:0], b[:0]).shape == (0,)


def test_a_function_with_a_bound_may_be_tested_by_bounds():
    bounded = ts.FunctionKernel(laplacian, upper=1.0)
    assert ts.mmd_test(X, Y, kernel=bounded, null="hoeffding").pvalue <= 1
    with pytest.raises(ts.OptionError, match=r"FunctionKernel\(laplacian\).*upper="):
        ts.mmd_test(X, Y, kernel=laplacian, null="hoeffding")


def test_callable_objects_and_lambdas_have_a_name():
    class Similar:
        def __call__(self, a, b):
            return a @ b.T

    assert repr(ts.FunctionKernel(Similar())) == "FunctionKernel(Similar)"
    assert "lambda" in repr(ts.FunctionKernel(lambda a, b: a @ b.T))


@pytest.mark.parametrize("kind", [ts.Gaussian, ts.Laplace, ts.Energy, ts.Precomputed])
def test_a_kernel_class_is_not_a_kernel(kind):
    with pytest.raises(ts.OptionError, match=rf"{kind.__name__}\("):
        ts.mmd_test(X, Y, kernel=kind)


def test_a_file_that_promises_more_than_memory_holds(tmp_path):
    header = io.BytesIO()
    promised = {"descr": "<f8", "fortran_order": False, "shape": (10**7, 10**7)}
    np.lib.format.write_array_header_1_0(header, promised)
    ts.Precomputed(K).save(tmp_path / "gram.npz")
    with zipfile.ZipFile(tmp_path / "gram.npz") as old, zipfile.ZipFile(tmp_path / "forged.npz", "w") as new:
        for name in old.namelist():
            new.writestr(name, header.getvalue() if name == "matrix.npy" else old.read(name))
    (tmp_path / "forged.npy").write_bytes(header.getvalue())
    for name in ("forged.npz", "forged.npy"):
        with pytest.raises(ts.InputError, match=rf"{name} is not a Gram matrix that can be used"):
            ts.Precomputed.load(tmp_path / name)
