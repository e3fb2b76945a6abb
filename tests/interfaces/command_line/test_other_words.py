"""Other programs' words for our commands and options, in one table whose every target exists."""

import shlex

import pytest

from dejavu.interfaces.command_line import other_words, simple_line
from dejavu.interfaces.command_line.commands import COMMANDS, GROUPS, OLD_NAMES
from dejavu.interfaces.command_line.help import options
from dejavu.interfaces.command_line.parameters import parameters_of

SHOWN = {name: entry.summary for name, entry in COMMANDS.items()}


def options_of(command: str) -> set[str]:
    parameters = parameters_of(simple_line.command(command))
    return {flag for one in parameters for flag in (*one.on, *one.off)}


@pytest.mark.parametrize(
    ("word", "meant"),
    [("rm", "delete"), ("install", "init"), ("find", "search"), ("ls", "list"), ("lst", "list"),
     ("undo", "code recover"), ("continue", "resume")],
)  # fmt: skip
def test_a_word_of_other_programs_leads_to_ours(word: str, meant: str) -> None:
    assert f"did you mean {meant!r}?" in other_words.command(word, SHOWN)


@pytest.mark.parametrize(
    ("group", "word", "told"),
    [("memory", "search", "did you mean 'find'?"), ("memory", "remember", "did you mean 'add'?"),
     ("memory", "ad", "did you mean 'add'?"), ("archive", "info", "`dejavu doctor --all`"),
     ("archive", "size", "`dejavu doctor --all`"), ("secrets", "scan", "did you mean 'list'?"),
     ("secrets", "purge", "did you mean 'mask'?"), ("archive", "du", "`dejavu doctor --all`"),
     ("secrets", "check", "`dejavu redact --check`"), ("memory", "xyzzy", "")],
)  # fmt: skip
def test_a_word_in_a_group_leads_to_a_command_of_it(group: str, word: str, told: str) -> None:
    said = other_words.command(word, SHOWN, group)
    assert told in said
    assert bool(said) == bool(told)


@pytest.mark.parametrize(
    "word",
    ["where", "pause", "changes", "path", "info", "unrelated"],
)
def test_a_word_far_from_all_of_ours_gets_no_guess(word: str) -> None:
    assert other_words.command(word, SHOWN) == ""


@pytest.mark.parametrize(
    ("word", "told"),
    [("share", "`dejavu export ID"), ("give", "`dejavu export ID"), ("compare", "dejavu show A"),
     ("diff", "dejavu show A"), ("prompts", "role:user"), ("completions", "--install-completion"),
     ("complete", "--install-completion"), ("update", "`dejavu init --upgrade`"),
     ("version", "`dejavu --version`"), ("service", "`dejavu daemon`"),
     ("autostart", "`dejavu daemon`"), ("ignore", "`dejavu archive prune"),
     ("exclude", "`dejavu archive prune")],
)  # fmt: skip
def test_a_word_without_a_command_of_ours_is_answered(word: str, told: str) -> None:
    assert told in other_words.command(word, SHOWN)


def test_a_value_that_an_option_does_not_take_is_answered() -> None:
    assert "`dejavu stats --by day --since 7d`" in other_words.value("week", ["day", "month"])
    assert other_words.value("week", ["md", "json"]) == ""
    assert other_words.value("year", ["day", "month"]) == ""


def test_the_opposite_of_a_command_is_an_option_of_it() -> None:
    for word, option in (("unstar", "star --remove"), ("untag", "tag --remove")):
        assert other_words.command(word, SHOWN) == f"; try `dejavu {option}`"
    assert "delete --undo" in other_words.command("trash", SHOWN)


def test_what_is_a_key_in_the_browser_is_told() -> None:
    assert "y in the browser" in other_words.command("copy", SHOWN)
    assert other_words.command("xyzzy", SHOWN) == ""


@pytest.mark.parametrize(
    ("command", "option", "told"),
    [("export", "--md", "; it's `dejavu export -f md`"),
     ("memory add", "--global", "; did you mean --everywhere?"),
     ("resume", "--in", "; `dejavu code handoff --to` continues in another agent"),
     ("resume", "--dry-run", "; did you mean --print?"),
     ("stop", "--all", "; name each session: `dejavu status --format '{id}'` prints the ids"),
     ("show", "-1", "; `dejavu show last~1` shows the one before the last"),
     ("export", "--agent",
      "; `dejavu list --agent --format '{id}'` prints the ids to name here"),
     ("list", "--agnt", "; did you mean --agent?"),
     ("list", "--frobnicate", ""), ("stop", "--al", ""), ("doctor", "--fxi", "")],
)  # fmt: skip
def test_an_option_leads_to_what_it_is_called_here(command: str, option: str, told: str) -> None:
    listed = options_of("list") if command == "export" else ()
    assert other_words.option(option, command, options_of(command), listed=listed) == told


def test_the_words_are_not_ours_and_lead_to_commands_that_are() -> None:
    alone = {word for name, words in other_words._WORDS.items() if " " not in name
             for word in words.split()}  # fmt: skip
    alone |= {word for words in other_words._ALSO_ALONE.values() for word in words.split()}
    assert not alone & {*COMMANDS, *OLD_NAMES}
    assert not set(other_words._ANSWERS) & {*COMMANDS, *OLD_NAMES}
    assert {*other_words._WORDS, *other_words._ALSO_ALONE} <= set(SHOWN)
    for name, words in other_words._WORDS.items():
        group, _, _ = name.rpartition(" ")
        assert not {f"{group} {word}".strip() for word in words.split()} & set(SHOWN), name


@pytest.mark.parametrize("line", other_words.lines())
def test_every_command_line_of_an_answer_exists(line: str) -> None:
    words = shlex.split(line)[1:]
    own = {flag for one in parameters_of(options) for flag in one.on} | {"--install-completion"}
    if not words or words[0].startswith("-"):
        assert set(words) <= own
        return
    if words[0] == "help":
        return
    found = simple_line.find(words)
    assert found.name in COMMANDS, line
    assert {word for word in found.words if word.startswith("-")} <= options_of(found.name), line


def test_every_option_of_the_tables_exists_and_none_is_ours() -> None:
    known = {flag for name in COMMANDS for flag in options_of(name)}
    known |= {flag for one in parameters_of(options) for flag in one.on}
    for wanted in other_words._OPTIONS.values():
        assert set(wanted) <= known
    for place in other_words._ELSEWHERE:
        command, _, option = place.rpartition(" ")
        assert command in COMMANDS, place
        assert option not in options_of(command), place
    assert {name.partition(" ")[0] for name in other_words._ANSWERS if " " in name} <= set(GROUPS)
