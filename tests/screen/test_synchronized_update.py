import pytest

from dejavu.screen.state import PASSES, SIZE, SynchronizedUpdate


def _open(*texts: str) -> bool:
    update = SynchronizedUpdate()
    for text in texts:
        update.append(text)
    return update.is_open()


@pytest.mark.parametrize(
    "text",
    [
        "\x1b[?2026h\x1b[H\x1b[2Jframe",
        "\x1b[?2026h\x1b[2K\x1b[1A\x1b[2K\x1b[G╭──╮\r\n│ > │\x1b[0m\x1b[K",
        "\x1b[?2026h\x1b[1;30r\x1b[30;1H\r\n\x1b[39m\x1b[Ktext\x1b[r\x1bM",
        "\x1b[?2026h\x1b[?25l\x1b]8;;https://e.org\x1b\\link\x1b]8;;\x07\x1b]133;A\x07\x1b[2 q",
    ],
)
def test_painting_leaves_an_update_open(text: str) -> None:
    assert _open(text)
    assert _open(text[:12], text[12:])


@pytest.mark.parametrize(
    "text",
    ["\x07", "\x1b[c", "\x1b[6n", "\x1b]0;t\x07", "\t", "\x1b[2L", "\x1b[?1049h", "\x1bPq\x1b\\"],
)
def test_what_no_painter_does_ends_it(text: str) -> None:
    assert not _open("\x1b[?2026hframe", text)
    assert not _open("\x1b[?2026hframe", text, "more")


def test_going_over_the_screen_again_and_again_ends_it() -> None:
    passes = "\x1b[9;1Ha\x1b[1;1Hb"
    assert _open("\x1b[?2026h" + passes * PASSES)
    assert not _open("\x1b[?2026h" + passes * (PASSES + 1))


def test_a_new_update_is_judged_on_its_own() -> None:
    assert _open("\x1b[?2026h\x07", "\x1b[?2026hnew")
    assert not _open("\x1b[?2026h" + "x" * (SIZE + 1))
