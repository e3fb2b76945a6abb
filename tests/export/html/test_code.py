import re
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from dejavu.export.html.code import PLAIN, Colours
from dejavu.redact.sanitise import sanitise

PYTHON = 'def wait(n):\n    return "<b>"  # slow\n'


def test_the_pieces_of_code_have_the_classes_of_their_kinds() -> None:
    html = Colours(1000).code(PYTHON, "python")
    assert '<code class="language-python">' in html
    for kind, text in (
        ("keyword", "def"), ("name", "wait"), ("string", "&lt;b&gt;"), ("comment", "# slow"),
    ):  # fmt: skip
        assert re.search(rf'<span class="c-{kind}">[^<]*{re.escape(text)}', html)


def test_a_page_colours_no_more_than_its_budget() -> None:
    colours = Colours(len(PYTHON) + 5)
    assert "c-keyword" in colours.code(PYTHON, "python")
    assert "c-" not in colours.code(PYTHON, "python")
    assert "c-keyword" in colours.code("if", "python")
    assert "c-" not in PLAIN.code("if", "python")


def test_a_diff_is_coloured_by_its_lines_whatever_it_is_called() -> None:
    patch = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b"
    assert 'class="del"' in PLAIN.code(patch)
    assert 'class="add"' in PLAIN.code("+a", "diff")


def test_blocks_that_may_scroll_can_be_reached_by_keyboard() -> None:
    assert 'tabindex="0"' in PLAIN.code("x" * 100)
    assert "tabindex" not in PLAIN.code("short")


@given(st.text(st.characters()), st.sampled_from(["py", "html", "sh", "json", "none", '"><b>']))
def test_the_text_stays_and_nothing_in_it_becomes_an_element(content: str, language: str) -> None:
    html = Colours(10_000).code("x" + content, language)
    assert set(re.findall(r"<(/?\w+)", html)) <= {"pre", "/pre", "code", "/code", "span", "/span"}
    assert unescape(re.sub(r"<[^>]*>", "", html)) == sanitise("x" + content)
