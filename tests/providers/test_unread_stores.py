from pathlib import Path

import pytest

from dejavu.providers import PROVIDERS, Home
from dejavu.providers.unread_stores import UnreadStore, known_unread, unread_stores


@pytest.mark.parametrize("store", known_unread(), ids=lambda store: store.agent)
def test_every_store_is_found_where_it_lies(store: UnreadStore, tmp_path: Path) -> None:
    places = [
        *store.paths,
        *(f".local/share/{pattern}" for pattern in store.data),
        *(f".config/Code/User/{pattern}" for pattern in store.vscode),
    ]
    assert places, "a store lies somewhere"
    for number, pattern in enumerate(places):
        home = tmp_path / str(number)
        file = home / pattern.replace("*", "x")
        file.parent.mkdir(parents=True)
        file.write_text("x")
        found = {one.agent: path for one, path in unread_stores(Home(home, {}))}
        assert found == {store.agent: file}


def test_a_variable_moves_a_store(tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    (moved / "sessions" / "a").mkdir(parents=True)
    home = Home(tmp_path / "home", {"GROK_HOME": str(moved)})
    assert [store.agent for store, _ in unread_stores(home)] == ["grok"]


def test_an_empty_home_has_none(tmp_path: Path) -> None:
    assert not list(unread_stores(Home(tmp_path, {})))


def test_no_agent_is_both_read_and_unread() -> None:
    assert not {store.agent for store in known_unread()} & set(PROVIDERS)
    assert len({store.agent for store in known_unread()}) == len(known_unread()) >= 45
