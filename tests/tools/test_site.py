"""The documents as a site: complete, searchable, and fetching nothing from elsewhere."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]
FETCHED = re.compile(r"""<(?:script|img|iframe|link)\b[^>]*\b(?:src|href)="(?:https?:)?//[^"]+""")
MKDOCS = shutil.which("mkdocs", path=str(Path(sys.executable).parent))


def test_pictures_fetch_nothing() -> None:
    for picture in (REPO / "docs" / "pictures").glob("*.svg"):
        text = picture.read_text("utf-8")
        assert not re.search(r"url\(['\"]?(?:https?:)?//|@import|<script|<image", text), (
            picture.name
        )


def test_every_page_is_in_the_contents() -> None:
    contents = (REPO / "mkdocs.yml").read_text("utf-8")
    for page in (REPO / "docs").rglob("*.md"):
        assert f"- {page.relative_to(REPO / 'docs')}\n" in contents, page


@pytest.mark.skipif(MKDOCS is None, reason="needs the `docs` extra (make site)")
def test_the_site_has_search_and_fetches_nothing(tmp_path: Path) -> None:
    assert MKDOCS is not None
    subprocess.run([MKDOCS, "build", "--quiet", "--site-dir", tmp_path], cwd=REPO, check=True)
    index = json.loads((tmp_path / "search" / "search_index.json").read_text("utf-8"))
    assert any("misspelt" in page["text"] for page in index["docs"])
    for page in tmp_path.rglob("*.html"):
        links = FETCHED.findall(page.read_text("utf-8"))
        assert not [link for link in links if 'rel="canonical"' not in link], page.name
