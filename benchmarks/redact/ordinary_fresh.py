"""Ordinary screens that judge: none until the next set is written by another hand.

Data for `elsewhere.py`. Nothing may be tuned on it: a kind that taught something leaves this module.
"""

from benchmarks.redact.ordinary import Kind

__all__ = ["FRESH"]

FRESH: dict[str, Kind] = {}
