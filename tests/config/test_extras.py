"""How an extra is installed: by what installed this program, or from where it comes."""

import sys
from importlib import metadata

import pytest

from dejavu.config import extras


def test_the_command_is_that_of_the_installer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "requires", lambda _: ['textual<9 ; extra == "tui"', "lmdb"])
    assert extras.install_command("tui") == [sys.executable, "-m", "pip", "install", "textual<9"]
    assert extras.install_command("none") == []
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    monkeypatch.setattr(extras.shutil, "which", lambda name: name if name == "uv" else None)
    assert extras.install_command("tui")[:3] == ["uv", "pip", "install"]
    monkeypatch.setattr(sys, "prefix", "/home/ann/.local/share/pipx/venvs/dejavu-capture")
    monkeypatch.setattr(extras.shutil, "which", lambda name: name)
    assert extras.extra_hint("tui") == "pipx inject dejavu-capture 'textual<9'"
    monkeypatch.setattr(extras.shutil, "which", lambda _: None)
    assert extras.install_command("tui") == []
    assert extras.extra_hint("tui") == "pipx inject dejavu-capture 'textual<9'"


def test_what_was_not_installed_as_a_package_names_where_it_comes_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(_: str) -> list[str]:
        raise metadata.PackageNotFoundError

    monkeypatch.setattr(metadata, "requires", missing)
    assert extras.extra_hint("wire") == "pip install '.[wire]' in a clone"
    monkeypatch.setattr(extras, "SOURCE", "dejavu-capture")
    assert extras.extra_hint("wire") == "pip install 'dejavu-capture[wire]'"
