"""The version, apart, so that results can name it without importing the package."""

__version__ = "0.1.0"
