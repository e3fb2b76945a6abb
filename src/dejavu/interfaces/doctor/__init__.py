"""The checks of `dejavu doctor`: one function a subject, each yields findings and changes nothing.

A check that raises becomes a finding too: the doctor always gets to the end.
"""

from .finding import Finding, Severity, worst_first
from .registry import CHECKS, run_checks

__all__ = ["CHECKS", "Finding", "Severity", "run_checks", "worst_first"]
