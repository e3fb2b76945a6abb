"""The command's own words; what it serves is tested in tests/extensions/web."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories.archive import Result

from dejavu.config.extras import extra_hint


def test_without_the_extra_the_cure_is_named(
    dejavu: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "dejavu.extensions.web.server", raising=False)
    monkeypatch.delitem(sys.modules, "dejavu.extensions.web.app", raising=False)
    monkeypatch.delattr("dejavu.extensions.web.server", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    result = dejavu("serve")
    assert (result.code, result.out) == (1, "")
    assert extra_hint("http") in result.err


def test_options_that_exclude_each_other(dejavu: Callable[..., Result], tmp_path: Path) -> None:
    assert dejavu("serve", "--port", "0", "--socket", str(tmp_path / "s")).code == 2
    assert dejavu("serve", "--token-file", str(tmp_path / "t")).code == 2
    assert dejavu("serve", "--port", "70000").code == 2


def test_a_place_that_is_taken(dejavu: Callable[..., Result], tmp_path: Path) -> None:
    pytest.importorskip("uvicorn", reason="needs the extra http")
    (tmp_path / "s").write_text("a file")
    result = dejavu("serve", "--socket", str(tmp_path / "s"))
    assert (result.code, "cannot listen" in result.err) == (1, True)


def test_a_folder_for_the_socket_is_not_made(dejavu: Callable[..., Result], tmp_path: Path) -> None:
    result = dejavu("serve", "--socket", str(tmp_path / "typo/s"))
    assert (result.code, (tmp_path / "typo").exists()) == (2, False)
    assert f"{tmp_path / 'typo'}: no such folder" in result.err
