"""Secrets in the archive: found, remembered without their values, listed by what to rotate first.

`Scan` brings the memory of hits up to the archive; `listed` makes the list of it; `take_out` masks
what it found.
"""

from .listing import Place, Secret, listed
from .scan import Scan
from .take_out import take_out

__all__ = ["Place", "Scan", "Secret", "listed", "take_out"]
