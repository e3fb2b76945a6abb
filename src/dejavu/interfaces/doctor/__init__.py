"""What `dejavu doctor` looks at: one function a subject, each giving findings.

Takes the environment as it is; gives `Finding`s, changes nothing. A check that fails by itself
becomes a finding too: the doctor always gets to the end.
"""

from .finding import Finding, Grade
from .registry import CHECKS, examine

__all__ = ["CHECKS", "Finding", "Grade", "examine"]
