"""Programs that measure: run one from the repository's root, `python -m benchmarks.redact.redactor`.

A folder for each subject: `archive`, `code`, `ingest`, `interfaces`, `providers`, `recall`, `redact`,
`scrapers`, `sessions`, `teams`, `terminal`, `testing`. `all` runs those that are recorded, `figures`
says which figures they print, `write_figures` puts the figures into README and docs.
"""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("DEJAVU_SHARED", ROOT.parent / "shared"))
"""Recordings and tools next to the repository; what needs them says so where they are missing."""
