"""The page's own filter of texts takes out what `dejavu.redact.sanitise` takes out."""

import json
from collections.abc import Callable
from typing import Any

from tests.extensions.web.conftest import Api
from tests.extensions.web.test_page import Address, until

from dejavu.redact.sanitise import sanitise

_RANGES = ((0, 0xD7FF), (0xE000, 0xFFFF), (0x1B000, 0x1FFFF), (0xE0000, 0xE0FFF))
_TEXTS = [
    "plain text, and a\nline\twith a tab",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 after \x1b]52;c;aGk=\x1b\\clip",
    "\x1b]0;never closed\nthe next line stays",
    "\x1bPq#0;2;0;0;0\n#0~~\x1b\\sixel \x90also\x9c \x9b2Jcsi \x85 \x1b(B \x1b7 \x1b",
    "\x1b]0;a\x18b \x1b]0;c\x1b[1md \x1b[38;2;1;2;3",
    "user\u202eecila\u202c \u2066x\u2069 \u200b\ufeff\u00ad \u061c \u3164 \u115f",
    "tags \U000e0041\U000e0042 \U0001d173 \ufff9 \u2028 \u2029",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f 1\ufe0f\u20e3 \U0001f44d\U0001f3fd",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u845b\U000e0100 a\u200db a\ufe0f",
    "\x1b]" * 50 + "x" * 1000,
]


def _ask(browser: Any, expression: str) -> Any:
    return browser.value(f"import('/assets/page.js').then(({{plain}}) => {expression})")


def test_the_page_filters_as_the_sanitiser_does(serve: Callable[..., Api], browser: Any) -> None:
    api = serve("--port", "0")
    browser.open(Address(api.url), scripts=True)
    until(browser, "document.getElementById('ask')?.hidden", False)
    shown = _ask(browser, f"{json.dumps(_TEXTS)}.map(plain)")
    assert shown == [sanitise(text) for text in _TEXTS]
    assert _ask(browser, "plain('a\\ud83d b')") == "a<U+D83D> b"
    # Every character by itself between letters, where any could be hidden.
    changed = [
        point
        for first, last in _RANGES
        for point in range(first, last + 1)
        if sanitise(f"a{chr(point)}b") != f"a{chr(point)}b"
    ]
    ranges = json.dumps(_RANGES)
    loop = (
        f"{ranges}.flatMap(([first, last]) => Array.from({{length: last - first + 1}}, (_, n) => first + n))"
        ".filter(p => { const t = `a${String.fromCodePoint(p)}b`; return plain(t) !== t; })"
    )
    assert _ask(browser, loop) == changed
