"""A HOME of its own for what runs outside of a test, such as a drill."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def throw_away_home() -> Iterator[Path]:
    """A folder that is HOME inside the `with`; no folder variable of a person's leaks in."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        try:
            for name in before:
                if name.startswith(("DEJAVU_", "XDG_", "CLAUDE_", "CODEX_", "KIMI_", "AMP_")):
                    del os.environ[name]
            os.environ |= {"HOME": scratch, "DEJAVU_WARM_OBSERVER": "off"}
            yield Path(scratch)
        finally:
            os.environ.clear()
            os.environ.update(before)
