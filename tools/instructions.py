"""Write install instructions of the documents as `SOURCE` of `dejavu.config.extras` says.

    make docs

From a clone today; from the public index once that constant is the package's name. A test holds the
documents to it, and that both forms turn into each other.
"""

import re
from pathlib import Path

from dejavu.config.extras import PACKAGE, SOURCE

REPO = Path(__file__).parents[1]
PAGES = sorted((REPO / "README.md", *(REPO / "docs").rglob("*.md")))
_EXTRA = re.compile(r"'(?:\.|dejavu-capture)\[([a-z,]+)\]'")
_FORMS = (
    ("From a clone of this repository:", "From the Python Package Index:"),
    ("  # from a clone", "  # from the index"),
    ("` from a clone brings", "` from the index brings"),
    (
        "In a clone, `pipx install .` and `uv tool install .` work too. It isn't on the public index yet.",
        f"`pipx install {PACKAGE}` and `uv tool install {PACKAGE}` work too.",
    ),
)
"""Words that differ: from a clone, and from the index."""


def instructions(text: str, source: str = SOURCE) -> str:
    """A document with its instructions for one source: `.` or the package's name."""
    for clone, index in _FORMS:
        text = text.replace(index, clone) if source == "." else text.replace(clone, index)
    return _EXTRA.sub(rf"'{source}[\1]'", text)


def write() -> None:
    """Write the pages that differ."""
    for path in PAGES:
        text = path.read_text("utf-8")
        if (new := instructions(text)) != text:
            path.write_text(new, "utf-8")


if __name__ == "__main__":
    write()
