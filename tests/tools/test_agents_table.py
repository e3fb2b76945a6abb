from pathlib import Path

import pytest
from tools.agents_table import PAGE, macos_places, page

from dejavu.providers import PROVIDERS, Home


def test_the_table_is_what_the_agents_folders_say() -> None:
    text = PAGE.read_text("utf-8")
    assert page(text) == text, "run `make docs`"


PLACES = [(name, place) for name, places in macos_places().items() for place in places]


@pytest.mark.parametrize(("agent", "place"), PLACES, ids=lambda value: str(value))
def test_what_lies_in_a_place_of_macos_is_read(agent: str, place: str, tmp_path: Path) -> None:
    folder = tmp_path / place
    for below in ("User", "threads"):  # of Cursor and of Zed: where their chats lie
        (folder / below).mkdir(parents=True)
    roots = PROVIDERS[agent].roots(Home(tmp_path, {}))
    assert any(root.is_relative_to(folder) or folder.is_relative_to(root) for root in roots)


def test_agents_that_move_on_macos_are_known() -> None:
    wanted = {"claude", "cline", "cursor-ide", "goose", "kiro", "vscode-copilot", "warp", "zed"}
    assert wanted <= set(macos_places())
