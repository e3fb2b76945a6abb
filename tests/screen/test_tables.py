import re

import pytest

from dejavu.screen import Terminal
from dejavu.screen.tables import MARKS, MIXED, NARROW, PLAIN, PRIVATE, WIDE


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("a", 1),
        ("─", 1),
        ("é", 1),
        ("日", 2),
        ("한", 2),
        ("🚀", 2),
        ("✅", 2),
        ("🫠", 2),  # assigned after Unicode 11
        ("⚠️", 1),  # VS16 widens nothing, as in xterm.js and tmux
        ("🇩🇪", 2),  # two regional indicators of one column
        ("e\u0301", 1),
        ("\u200b", 0),
        ("🧑‍💻", 4),  # ZWJ joins nothing, as in xterm.js
        ("\x85", 0),
        ("\U0010ffff", 1),
        ("\u00ad", 1),
    ],
)
def test_columns(text: str, columns: int) -> None:
    terminal = Terminal(20, 1)
    terminal.feed(text.encode())
    assert terminal.snapshot().cursor == (0, columns)


def test_every_character_is_in_one_class() -> None:
    everything = "".join(map(chr, [*range(0x20, 0x7F), *range(0xA0, 0x110000)]))
    counts = [len(re.findall(f"[{c}]", everything)) for c in (NARROW, WIDE, MARKS, PRIVATE)]
    assert sum(counts) == len(everything)
    assert all(counts)
    assert len(re.findall(f"[{PLAIN}{MIXED}]", everything)) == len(everything)
