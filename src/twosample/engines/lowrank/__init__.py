"""Landmarks: a kernel of low rank close to the one asked for, on any number of columns."""

from __future__ import annotations

from .nystrom import MAX_RANK, LowRank, LowRankGram
from .pivoted_cholesky import choose_landmarks, landmark_features

__all__ = ["MAX_RANK", "LowRank", "LowRankGram", "choose_landmarks", "landmark_features"]
