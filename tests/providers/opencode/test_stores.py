"""The list of OpenCode's stores."""

from pathlib import Path

from dejavu.providers.opencode.database import Database
from dejavu.providers.opencode.stores import stores
from dejavu.providers.opencode.v2_database import Projection


def test_the_trees_of_both_generations(data: Path) -> None:
    tree, older = stores(data / "opencode" / ".local" / "share" / "opencode")
    assert (list(tree.sessions()), list(older.sessions())) == (["ses_1"], ["ses_0"])
    (message,) = tree.messages("ses_1", ["msg_1"])
    assert [part["id"] for part in message["parts"]] == ["prt_1", "prt_2", "prt_3"]
    (message,) = older.messages("ses_0", ["msg_0a"])
    assert message["parts"][0]["data"]["text"] == "A question of generation 0."
    assert tree.gate("ses_0") is None
    assert tree.session("ses_1")["directory"] == "/work/pond"


def test_a_database_is_two_stores_and_one_named_elsewhere_comes_first(tmp_path: Path) -> None:
    named, own = tmp_path / "else.db", tmp_path / "opencode-stable.db"
    own.touch()
    found = stores(tmp_path, named)
    assert [(type(one), one.path) for one in found] == [
        (Database, named),
        (Projection, named),
        (Database, own),
        (Projection, own),
    ]
    assert stores(tmp_path, own) == found[2:]
