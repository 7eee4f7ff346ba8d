"""Rows that do not come from where a reference sample comes from (Section 7.5 of the paper).

`conformal.py` ranks new rows among those of the reference, with NumPy alone: what ``twosample outliers`` does.
`detector.py` is the scikit-learn estimator, with other methods beside it; only there scikit-learn is imported.
"""

from .conformal import ConformalRanks

__all__ = ["ConformalRanks"]
