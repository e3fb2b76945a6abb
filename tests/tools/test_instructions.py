"""Install instructions of the documents are those of one constant, and turn into the other form and back."""

import pytest
from tools.instructions import PAGES, instructions

from dejavu.config.extras import PACKAGE, SOURCE


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_a_page_says_where_the_package_comes_from(page) -> None:
    text = page.read_text("utf-8")
    assert instructions(text) == text, "run `make docs`"
    published = instructions(text, PACKAGE)
    assert "'.[" not in published
    assert instructions(published, SOURCE) == text
    assert ("'.[" in text) == (f"'{PACKAGE}[" in published)


def test_the_front_page_and_the_guide_switch_wholly() -> None:
    pages = {page.name: instructions(page.read_text("utf-8"), PACKAGE) for page in PAGES}
    assert f"pipx install '{PACKAGE}[tui]'" in pages["README.md"]
    assert "From a clone" not in pages["README.md"]
    assert f"`pipx install {PACKAGE}`" in pages["install.md"]
    assert "public index yet" not in pages["install.md"]
