"""Tests, in folders that mirror `src/twosample`.

`tests/core/test_pvalue.py` tests `twosample.core.pvalue`; a longer suite on one module has a second word
(`homogeneity/test_mmd_arbitrary.py`). `test_contracts.py` of a room says what is true of every registered member of it.
`level` measures how often tests reject, `docs` runs the pages, `experiments` tests the folder of that name. Helpers are
imported from here: `from tests import naive`.
"""
