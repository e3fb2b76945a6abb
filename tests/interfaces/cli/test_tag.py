import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories.archive import Result

from dejavu.model import Conversation


def test_tags_come_and_go(dejavu: Callable[..., Result], archived: list[Conversation]) -> None:
    name = archived[0].id
    done = dejavu("tag", name, "+Bug", "net/retry")
    assert (done.code, done.out, done.err) == (0, f"{name}\n", "tags: bug, net/retry\n")
    assert dejavu("tag").out == "    1  bug\n    1  net/retry\n"
    assert [row["id"] for row in dejavu("list", "--tag", "bug", "--json").rows] == [name]
    assert "#bug #net/retry" in dejavu("list").out
    assert dejavu("tag", name).err == "tags: bug, net/retry\n"
    assert dejavu("tag", name, "--remove", "bug").err == "tags: net/retry\n"
    dejavu("tag", name, "bug")
    assert dejavu("tag", name, "-bug", "+odd").err == "tags: net/retry, odd\n"
    assert dejavu("tag", name, "-odd").err == "tags: net/retry\n"
    assert dejavu("tag", "--json").json == {"tags": [{"tag": "net/retry", "count": 1}]}


def test_exports_have_them(
    dejavu: Callable[..., Result], archived: list[Conversation], tmp_path: Path
) -> None:
    dejavu("tag", "last", "bug")
    assert "- Tags: bug" in dejavu("export", "last", "--format", "md").out
    assert "<dt>Tags</dt><dd>bug</dd>" in dejavu("export", "last", "--format", "html").out
    assert json.loads(dejavu("export", "last", "--format", "json").out)["tags"] == ["bug"]
    atif = tmp_path / "last.json"
    dejavu("export", "last", "--format", "atif", "-o", str(atif))
    assert json.loads(atif.read_text())["extra"]["dejavu"]["tags"] == ["bug"]


@pytest.mark.parametrize("name", ["two words", "", "-", "x" * 41, "a\nb", "ghp_" + "a1B2" * 9])
def test_what_cannot_be_a_tag_is_refused(
    dejavu: Callable[..., Result], archived: list[Conversation], name: str
) -> None:
    done = dejavu("tag", "--json", "--", "last", name)
    assert done.code == 2
    assert dejavu("list", "--json").rows[0]["tags"] == []


def test_without_tags_it_says_how(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    assert "`dejavu tag ID NAME` adds one" in dejavu("tag").err


def test_a_secret_that_only_its_capitals_show_is_no_tag(
    archived: list[Conversation], dejavu: Callable[..., Result]
) -> None:
    done = dejavu("tag", archived[0].id, "AKIA" + "Q7XWJ4MPL2ZRT6KD")
    assert (done.code, "cannot hold a secret" in done.err) == (2, True)
