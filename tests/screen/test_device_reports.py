from collections.abc import Callable

import pytest

from dejavu.screen import Terminal

After = Callable[..., Terminal]


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("\x1b[c", "\x1b[?1;2c"),
        ("\x1b[0c", "\x1b[?1;2c"),
        ("\x1b[1c", ""),
        ("\x1b[>c", "\x1b[>0;276;0c"),
        ("\x1b[=c", "\x1bP!|00000000\x1b\\"),
        ("\x1b[5n", "\x1b[0n"),
        ("\x1b[3;4H\x1b[6n", "\x1b[3;4R"),
        ("\x1b[3;4H\x1b[?6n", "\x1b[?3;4R"),
        ("\x1b[2;4r\x1b[?6h\x1b[6n", "\x1b[1;1R"),
        ("\x1b[?996n", "\x1b[?997;1n"),
        ("\x1b[99n", ""),
        ("\x1b[?2026$p", "\x1b[?2026;2$y"),
        ("\x1b[?2026h\x1b[?2026$p", "\x1b[?2026;1$y"),
        ("\x1b[?7$p", "\x1b[?7;1$y"),
        ("\x1b[?2004h\x1b[?2004$p", "\x1b[?2004;1$y"),
        ("\x1b[?12345$p", "\x1b[?12345;0$y"),
        ("\x1b[4$p", "\x1b[4;2$y"),
        ("\x1b[>q", "\x1bP>|dejavu\x1b\\"),
        ("\x1b[?u", "\x1b[?0u"),
        ("\x1b[18t", "\x1b[8;5;20t"),
        ("\x1b]4;1;?\x07", "\x1b]4;1;rgb:cdcd/0000/0000\x1b\\"),
        (
            "\x1b]4;208;?;255;?\x07",
            "\x1b]4;208;rgb:ffff/8787/0000\x1b\\\x1b]4;255;rgb:eeee/eeee/eeee\x1b\\",
        ),
        ("\x1b]4;300;?\x07", ""),
        ("\x1b]11;?\x1b\\", "\x1b]11;rgb:0000/0000/0000\x1b\\"),
        ("\x1b]10;red\x07", ""),
        ("\x1bP+q544e\x1b\\", "\x1bP1+r544e=787465726D2D323536636F6C6F72\x1b\\"),
        ("\x1bP+q5463;zz\x1b\\", "\x1bP1+r5463\x1b\\\x1bP0+rzz\x1b\\"),
        ("\x1b[1;38;5;3m\x1bP$qm\x1b\\", "\x1bP1$r0;1;38:5:3m\x1b\\"),
        ("\x1b[2;4r\x1bP$qr\x1b\\", "\x1bP1$r2;4r\x1b\\"),
        ("\x1b[4 q\x1bP$q q\x1b\\", "\x1bP1$r4 q\x1b\\"),
        ("\x1bP$qz\x1b\\", "\x1bP0$r\x1b\\"),
    ],
)
def test_a_terminal_answers(after: After, query: str, answer: str) -> None:
    assert after(query).replies() == answer.encode()


def test_the_title_stack(after: After) -> None:
    terminal = after("\x1b]2;one\x07\x1b[22;2t\x1b]2;two\x07")
    assert terminal.snapshot().title == "two"
    terminal.feed(b"\x1b[23;2t")
    assert terminal.snapshot().title == "one"
    terminal.feed(b"\x1b[23t" * 3 + b"\x1b[22t" * 50)
    assert terminal.snapshot().title == "one"
