"""The forms of `--json`, held to docs/json.md."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from jsonschema import ValidationError
from tests.factories.archive import Result
from tests.factories.json_schema import check, definitions, name_of

from dejavu.extensions.teams.cli.team import ACTIONS
from dejavu.model import Conversation

PAGE = (Path(__file__).parents[3] / "docs/json.md").read_text("utf-8")
REFERENCE = (Path(__file__).parents[3] / "docs/reference.md").read_text("utf-8")
TABLE = re.findall(r"^\| `([^`]+)` \| `(\{.*\})` \|$", PAGE, re.MULTILINE)
ARRAYS = {"list", "status", "agents", "panes"}  # what were bare arrays
OPEN = {"archive verify"}  # more members than the page names


@pytest.mark.parametrize(("line", "form"), TABLE)
def test_a_document_has_the_members_of_the_page(
    line: str, form: str, dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    result = dejavu(*line.split(), "--json")
    assert result.code == 0, result.err
    members = re.findall(r'"(\w+)":', form)
    assert set(result.json) >= set(members)
    assert name_of(tuple(line.split()), result.json), "docs/dejavu.schema.json has no such document"
    assert line in OPEN or set(result.json) == set(members)
    lists = re.findall(r'"(\w+)": \[', form)
    assert all(isinstance(result.json[name], list) for name in lists)


def test_a_list_says_where_its_rest_begins(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    cut = dejavu("list", "--json=2", "--limit", "1")
    assert cut.json["next"] == 1
    assert "only the first is shown" in cut.err
    rest = dejavu("list", "--json=2", "--limit", "1", "--offset", str(cut.json["next"]))
    assert rest.json["next"] is None
    assert [*cut.rows, *rest.rows] == dejavu("list", "--json").rows


@pytest.mark.parametrize("command", ["search the", "how grep", "files retry"])
def test_a_ranked_list_says_where_its_rest_begins(
    command: str, dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    whole = dejavu(*command.split(), "--json").json
    [plural] = [name for name, value in whole.items() if isinstance(value, list)]
    assert whole["next"] is None
    rest = dejavu(*command.split(), "--json", "--limit", "1", "--offset", "0")
    seen, steps = rest.json[plural], [rest.json["next"]]
    while steps[-1] is not None:
        assert "only the first is shown" in rest.err
        rest = dejavu(*command.split(), "--json", "--limit", "1", "--offset", str(steps[-1]))
        seen += rest.json[plural]
        steps.append(rest.json["next"])
    assert len(seen) == len(whole[plural])


@pytest.mark.parametrize("command", sorted(ARRAYS))
def test_json_1_is_the_bare_array(
    command: str, dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    array = dejavu(command, "--json=1").json
    assert isinstance(array, list)
    assert array == dejavu(command, "--json").rows
    assert dejavu(command, "--json=2").json == dejavu(command, "--json").json
    assert dejavu(command, "--json=3").code == 2


def test_the_number_of_the_form_is_ours_before_two_hyphens_only(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    assert dejavu("search", "retry", "--json=1").json["query"] == "retry"
    assert dejavu("search", "--json", "--", "--json=1").json["query"] == "--json=1"


def test_the_schema_sees_a_member_that_was_renamed(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    document = dejavu("list", "--json").json
    check(("list",), document)
    row = document["conversations"][0]
    row["name"] = row.pop("title")
    with pytest.raises(ValidationError):
        check(("list",), document)


def test_every_command_that_prints_json_has_a_definition() -> None:
    sections = re.split(r"^## dejavu ", REFERENCE, flags=re.MULTILINE)[1:]
    printing = {text.split("\n", 1)[0] for text in sections if re.search(r"\| `--json`", text)}
    known = {name.partition(" --")[0] for name in definitions()["$defs"]} | {"team"}
    assert len(printing) > 30
    assert printing <= known, printing - known
    known_actions = {name for name in definitions()["$defs"] if name.startswith("team ")}
    assert known_actions == {f"team {action}" for action in ACTIONS}
