"""The figures and tables of the paper, re-run: ``python -m experiments NAME``."""
