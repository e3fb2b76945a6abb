import shlex
import sys
from collections.abc import Callable
from pathlib import Path

from tests.factories.archive import Result
from tests.ingest.merge.test_arbitrate import ANSWER, ID, Session

from dejavu.archive.access import open_archive
from dejavu.extensions.testing import TerminalFixture
from dejavu.ingest.merge.arbitrate import merge_vectors
from dejavu.model import Conversation, conversation_from_dict


def test_json_holds_the_whole_conversation(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    shown = dejavu("show", archived[1].id, "--json").json
    assert conversation_from_dict(shown).turns == archived[1].turns
    assert [turn["role"] for turn in shown["turns"]] == ["user", "assistant", "tool", "system"]


def test_text_folds_long_tool_output_unless_asked(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    short = dejavu("show", archived[1].id).out
    assert "❯ Why does retry_budget run dry?" in short
    assert "Bash: grep -n tick" in short
    assert "line 39" not in short
    assert "28 more lines" in short
    assert "line 39" in dejavu("show", archived[1].id, "--full").out


def test_a_unique_beginning_is_enough_and_last_is_the_newest(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    assert dejavu("show", archived[1].id[:6], "--json").json["id"] == archived[1].id
    assert dejavu("show", "last", "--json").json["id"] == archived[0].id


def test_hostile_text_is_disarmed(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    out = dejavu("show", archived[0].id).out
    assert "\x1b" not in out
    assert "aGk=" not in out
    assert "\u202e" not in out


def test_provenance(dejavu: Callable[..., Result], archived: list[Conversation]) -> None:
    shown = dejavu("show", archived[1].id, "--json", "--provenance").json
    assert all("spans" in turn for turn in shown["turns"])
    assert "/traces/s-1.jsonl" in dejavu("show", archived[1].id, "--provenance").out


def test_provenance_names_every_vector_and_what_they_do_not_agree_on(
    dejavu: Callable[..., Result], home: Path
) -> None:
    with open_archive(write=True) as archive:
        session = Session(archive, home)
        session.file(("Why?", ANSWER))
        session.hooks(("Why?", "Something else."), ("And red?", "Less so."))
        merge_vectors(archive, ID)
    told = dejavu("show", ID, "--provenance").out
    assert "hook: differs in 1 answer; only source of 1 exchange" in told
    assert "[2] hook: hook:s-1" in told
    assert "1 user      session file   [1]" in told
    assert "3 user      hook           [2]" in told
    shown = dejavu("show", ID, "--json", "--provenance").json["provenance"]
    assert [source["vector"] for source in shown["sources"]] == ["native", "hook"]
    assert shown["disagreement"]["hook"]["differs answer"] == 1


def test_unknown_ids_are_not_found(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    result = dejavu("show", "zzzz")
    assert (result.code, result.out) == (3, "")
    assert "zzzz" in result.err


def test_the_command_that_goes_on_with_it(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    done = dejavu("show", archived[1].id, "--resume")
    assert (done.code, done.out) == (0, "cd /work/retry && claude --resume s-1\n")


def test_some_turns(dejavu: Callable[..., Result], archived: list[Conversation]) -> None:
    name = archived[1].id
    shown = dejavu("show", f"{name}#3", "--json").json
    assert [turn["seq"] for turn in shown["turns"]] == [0, 1, 2, 3]
    shown = dejavu("show", name, "--turns", "2-3", "--json").json
    assert [turn["seq"] for turn in shown["turns"]] == [1, 2]
    assert shown["turn_count"] == 4
    shown = dejavu("show", name, "--prompts", "--json").json
    assert [turn["role"] for turn in shown["turns"]] == ["user"]
    out = dejavu("show", f"{name}#3").out
    assert "#3\n" in out
    assert "line 39" in out  # the turn that is named is shown whole


def test_turns_that_are_not_there(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    result = dejavu("show", "last#99")
    assert (result.code, " turns" in result.err) == (3, True)
    assert dejavu("show", "last#x").code == 2
    assert dejavu("show", "last#1", "--turns", "2").code == 2
    assert dejavu("show", "nonesuch#1").code == 3


def test_a_long_one_goes_through_the_pager(
    terminal: TerminalFixture, home: Path, archived: list[Conversation], tmp_path: Path
) -> None:
    show = [sys.executable, "-m", "dejavu", "show", archived[1].id, "--full"]
    own = {"HOME": str(home), "PAGER": "sed s/^/paged:/"}
    app = terminal(show, env=own)
    assert app.wait_exit() == 0
    assert "paged:" in app.screen.text
    app = terminal([*show, "--no-pager"], env=own)
    assert app.wait_exit() == 0
    assert "paged:" not in app.screen.text
    errors = tmp_path / "errors"
    line = f"{shlex.join(show)} 2>{shlex.quote(str(errors))}"
    app = terminal(["sh", "-c", line], env={**own, "PAGER": "/nowhere/pager"}, size=(80, 50))
    assert app.wait_exit() == 0
    assert "no pager" in errors.read_text()
    assert "line 39" in app.screen.text


def _on_terminal(
    terminal: TerminalFixture, home: Path, *arguments: str, size: tuple[int, int] = (80, 60)
) -> str:
    app = terminal(
        [sys.executable, "-m", "dejavu", "show", *arguments, "--no-pager"],
        env={"HOME": str(home)},
        size=size,
    )
    assert app.wait_exit() == 0
    return app.screen.text


def test_a_terminal_folds_tools_and_renders_markdown(
    terminal: TerminalFixture, home: Path, archived: list[Conversation]
) -> None:
    text = _on_terminal(terminal, home, archived[1].id)
    rows = [row.rstrip() for row in text.splitlines()]
    assert any(row.startswith("#1") and "❯ Why does retry_budget" in row for row in rows)
    assert "is never called." in text  # and no `**`
    assert any("Bash: grep -n tick src/net/retry.py" in row for row in rows)
    assert any(row.startswith("#3") and "line 0  (+39 lines)" in row for row in rows)
    assert "line 1\n" not in text
    unfolded = _on_terminal(terminal, home, archived[1].id, "--tools")
    assert "line 11" in unfolded
    assert "28 more lines" in unfolded
    assert "line 39" in _on_terminal(terminal, home, f"{archived[1].id}#3")


def test_a_terminal_is_safe_from_what_is_shown(
    terminal: TerminalFixture, home: Path, archived: list[Conversation]
) -> None:
    text = _on_terminal(terminal, home, archived[0].id)
    assert "#1" in text
    assert "me" in text
    assert "aGk=" not in text


def test_a_template_prints_the_fields_of_the_conversation(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    one = archived[1]
    shown = dejavu("show", one.id, "--format", "{id} {agent}")
    assert (shown.code, shown.out) == (0, f"{one.id} {one.agent}\n")
    wrong = dejavu("show", one.id, "--format", "{nothing}")
    assert (wrong.code, "no field 'nothing'" in wrong.err) == (2, True)


def test_the_last_turn_has_a_name(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    name, turns = archived[1].id, archived[1].turns
    shown = dejavu("show", name, "--turns", "last", "--json").json["turns"]
    assert [turn["seq"] for turn in shown] == [len(turns) - 1]
    shown = dejavu("show", f"{name}#last", "--json").json["turns"]
    assert [turn["seq"] for turn in shown] == [1, 2, 3]
    for words in ((f"{name}#-1",), (name, "--turns", "-1"), (name, "--turns=-1")):
        done = dejavu("show", *words)
        assert (done.code, "last for the last turn" in done.err) == (2, True)
