"""Times, folders and the pager of lists on a terminal."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.interfaces.command_line import terminal as fitted
from dejavu.interfaces.command_line.terminal import age, ending, folder, print_lines, when

NOW = 1_795_000_000.0


def test_ages() -> None:
    for passed, words in (
        (0, "just now"), (59, "just now"), (60, "1m ago"), (3599, "59m ago"), (7300, "2h ago"),
        (86_400, "1d ago"), (29 * 86_400, "29d ago"), (-30, "just now"),
    ):  # fmt: skip
        assert age(NOW - passed, NOW) == words
    for passed in (30 * 86_400, 400 * 86_400, -7200):
        day = datetime.fromtimestamp(NOW - passed).astimezone()
        assert age(NOW - passed, NOW) == f"{day:%Y-%m-%d}"


@given(st.floats(0, 4e9))
def test_an_age_fits_its_column(at: float) -> None:
    assert len(age(at, NOW)) <= 10


def test_a_pipe_gets_whole_times_and_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    assert folder("/home/ann/shop") == "/home/ann/shop"
    assert len(when(NOW)) == len("2026-11-18 12:26")
    assert fitted.width() == fitted.PIPED


def test_the_home_folder_is_a_tilde(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitted, "on_terminal", lambda: True)
    monkeypatch.setenv("HOME", "/home/ann/")
    assert [folder(path) for path in ("/home/ann/shop", "/home/ann", "/home/anna", "")] == [
        "~/shop", "~", "/home/anna", "",
    ]  # fmt: skip
    monkeypatch.setenv("HOME", "/")
    assert folder("/work") == "/work"


def test_a_path_is_cut_at_its_beginning() -> None:
    assert ending("/work/shop", 20) == "/work/shop"
    assert ending("/work/very/long/shop", 8) == "…ng/shop"
    assert "\x1b" not in ending("/work/\x1b[2J", 20)


def test_lines_are_printed_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    print_lines(str(number) for number in range(100))
    assert capsys.readouterr().out.split() == [str(number) for number in range(100)]
