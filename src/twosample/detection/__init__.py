"""Rows that do not come from where a reference sample comes from (Section 7.5 of the paper).

`outliers.py` is :func:`twosample.outliers`: two tables of any kind, with the columns that make a row odd (`oddity.py`).
It stands on `conformal.py`, which ranks new rows among those of the reference, with NumPy alone. `detector.py` is the
scikit-learn estimator, with other methods beside it; only there scikit-learn is imported.
"""

from .conformal import ConformalRanks
from .outliers import outliers
from .results import Outlier, Outliers

__all__ = ["ConformalRanks", "Outlier", "Outliers", "outliers"]
