import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.export.highlight import _ALIASES, KINDS, LONGEST, language_of, pieces

LANGUAGES = sorted(_ALIASES)
FRAGMENTS = [
    "def f(x):", "return", '"', "'", "`", "/*", "*/", "//", "#", "<!--", "-->", "<script>", "{", "}", "${",
    "\\", "0x1F", "1e9", "\n", "\r\n", "\t", "  ", "$ ls", "<<EOF", "EOF", "=>", ":", "a" * 90,
    "\x00", "\u2028", "é",
]  # fmt: skip


def joined(code: str, language: str) -> str:
    return "".join(text for _, text in pieces(code, language))


@given(
    st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=5)).map("".join),
    st.sampled_from(LANGUAGES),
)
def test_the_pieces_are_the_code(code: str, language: str) -> None:
    assert joined(code, language) == code
    assert {kind for kind, _ in pieces(code, language)} <= {"", *KINDS}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_is_known_to_the_library(language: str) -> None:
    code = {"json": '{"a": 1}', "json5": "{a: 1}", "yaml": "a: [1]", "graphql": "query { a }"}.get(
        _ALIASES[language],
        'if "x" then 12 else <b a="1"> { color: red } FROM x\n[a]\nb = 1\n$ echo "x"\n',
    )
    assert any(kind for kind, _ in pieces(code, language))


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ("x = 1", ""),
        ("x = 1", "klingon"),
        ("x = 1\n" * (LONGEST // 5), "py"),
        ("x" * 600 + " = 1", "py"),
    ],
)
def test_what_is_unknown_or_too_large_is_plain(code: str, language: str) -> None:
    assert list(pieces(code, language)) == [("", code)]


HOSTILE = {
    "quotes": "'" * 400 + "\n", "escapes": "\\" * 400 + "\n", "open": "(" * 400 + "\n",
    "tags": "<a " * 130 + "\n", "blanks": " " * 400 + "x\n", "words": "a " * 200 + "\n",
    "comments": "/*" * 200 + "\n", "dollars": "${" * 200 + "\n", "lines": "a\n", "equals": "a=" * 200 + "\n",
    "backquotes": "`" * 400 + "\n", "digits": "1" * 400 + "\n", "templates": "a<" * 200 + "\n",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_code_is_left_after_a_moment(name: str) -> None:
    """CPU of this thread; a lexer that backtracks takes minutes over some of these."""
    line = HOSTILE[name]
    code = line * (LONGEST // len(line))
    for language in sorted(set(_ALIASES.values())):
        start = time.thread_time()
        assert joined(code, language) == code
        assert time.thread_time() - start < 5.0, language


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("/src/a.py", "py"), ("C:\\x\\Main.RS", "rs"), ("Dockerfile", "dockerfile"), ("a/Makefile", "makefile"),
        ("notes.txt", ""), ("py", ""), ("", ""), ("a.py.bak", ""),
    ],
)  # fmt: skip
def test_a_files_name_tells_its_language(path: str, language: str) -> None:
    assert language_of(path) == language
