from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from dejavu.export.html.markup import join, line, tag, text
from dejavu.redact.sanitise import sanitise


class _Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.data = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, attrs))

    def handle_data(self, data: str) -> None:
        self.data += data


def _seen(html: str) -> _Seen:
    parser = _Seen()
    parser.feed(html)
    parser.close()
    return parser


@given(st.text(st.characters(codec=None) | st.sampled_from("<>&\"'/="), max_size=60))
def test_no_text_becomes_markup_and_none_is_lost(content: str) -> None:
    seen = _seen(tag("p", content, title=content))
    assert [name for name, _ in seen.tags] == ["p"]
    assert seen.data == sanitise(content)
    assert seen.tags[0][1] == [("title", sanitise(content, newlines=False))]


def test_markup_is_not_escaped_twice() -> None:
    assert tag("p", tag("b", "a<b"), " & c") == "<p><b>a&lt;b</b> &amp; c</p>"
    assert text(Markup("<hr>")) == "<hr>"
    assert join(["a<", Markup("<hr>"), None], ", ") == "a&lt;, <hr>"


def test_attributes_are_named_as_in_html() -> None:
    said = tag("details", class_="fold", aria_label='"x"', open=True, hidden=False, id=None)
    assert said == '<details class="fold" aria-label="&#34;x&#34;" open></details>'


def test_void_elements_have_no_end() -> None:
    assert tag("img", alt="") == '<img alt="">'


def test_a_line_stays_on_one_line_and_is_cut_before_it_is_escaped() -> None:
    assert line(" a\nb<c ") == "a b&lt;c"
    assert line("a&&&&&", 3) == "a&amp;…"
