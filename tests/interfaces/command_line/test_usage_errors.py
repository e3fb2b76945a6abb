import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories.archive import Result

from dejavu.model import Conversation


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("lst", "dejavu: unknown command 'lst'; did you mean 'list'?"),
        ("memory ad", "dejavu memory: unknown command 'ad'; did you mean 'add'?"),
        ("memory search x", "dejavu memory: unknown command 'search'; did you mean 'find'?"),
        ("secrets scan", "dejavu secrets: unknown command 'scan'; did you mean 'list'?"),
        ("export last --md", "dejavu export: unknown option --md; it's `dejavu export -f md`"),
        (
            "resume last --in codex",
            "dejavu resume: unknown option --in; `dejavu code handoff --to`",
        ),
        ("export --starred", "dejavu export: unknown option --starred; `dejavu list --starred"),
        ("stats -n 3", "dejavu stats: unknown option -n; `dejavu stats --by conversation"),
        ("tag last --bgu x", "dejavu tag: unknown option --bgu"),
        ("stats --by cost", "dejavu stats: --by: 'cost' is not one of day, month"),
        ("help nosuch", "dejavu: unknown command 'nosuch'"),
        ("doctor --here", "dejavu doctor: --here needs --agents"),
        ("sync --homes", "dejavu sync: --homes takes one folder"),
        ("--verison", "dejavu: unknown option --verison; did you mean --version?"),
        ("list --agnt x", "dejavu list: unknown option --agnt; did you mean --agent"),
        ("search -ring", "dejavu search: unknown option -r; put -- before words that begin with"),
        (
            "archive prune --older-than 30d",
            "dejavu archive prune: unknown option --older-than; did you mean --before?",
        ),
        ("list --before 2d", "dejavu list: unknown option --before; did you mean --until?"),
        ("list --limit x", "dejavu list: --limit: 'x' is not a whole number"),
        ("list --limit 0", "dejavu list: --limit: must be 1 or more"),
        ("list --limit", "dejavu list: --limit needs a value"),
        ("list --json=3", "dejavu list: --json takes no value"),
        ("list --since 32d2", "dejavu list: --since: '32d2' is not a time; try 2d"),
        ("list --agent=cluade", "dejavu list: unknown agent 'cluade'; did you mean 'claude'?"),
        ("list --since 2d --until 5d", "dejavu list: --since is after --until"),
        ("search x --role boss", "dejavu search: --role: 'boss' is not one of user, assistant"),
        ("replay /nope", "dejavu replay: /nope: no such file"),
        ("show x y", "dejavu show: got unexpected extra argument(s) (y)"),
        ("show", "dejavu show: name a conversation"),
        ("-V", "dejavu: unknown option -V; did you mean --version?"),
        (
            "stats --by week",
            "dejavu stats: --by: 'week' is not one of day, month, block, agent, model, project, workspace",
        ),
        (
            "search --since 2d",
            'dejavu search: QUERY is missing (Words, "a phrase", or a filter such as role:user)',
        ),
        ("star", "dejavu star: ID is missing (Ids or unique prefixes, or `last`, `last~1` ...)"),
        ("show -1", "dejavu show: unknown option -1; `dejavu show last~1` shows"),
        ("wait", "dejavu wait: SESSION is missing (Ids, unique prefixes or names)"),
        (
            "packs",
            "dejavu packs: ACTION is missing (learn: propose rules from sessions that have files, too)",
        ),
        ("team", "dejavu team: ACTION is missing (init | invite | grant | "),
        (
            "diff",
            "dejavu: unknown command 'diff'; `dejavu show` prints a conversation's changes",
        ),
        ("recall ''", "dejavu memory find: the text is empty; give a prompt, or its topic"),
        ("search agent:cluade", "dejavu search: unknown agent 'cluade'; did you mean 'claude'?"),
        ("export last --format pdf", "dejavu export: --format: 'pdf' is not one of md, json"),
        ("restore /nope", "dejavu archive restore: /nope: no such folder"),
        ("init nosuch", "dejavu init: 'nosuch' is not one of"),
        ("export", "dejavu export: name conversations, or give --all"),
    ],
)
def test_a_wrong_use_is_told_in_one_sentence_and_the_usage(
    dejavu: Callable[..., Result], line: str, told: str
) -> None:
    done = dejavu(*shlex.split(line))
    first, usage = done.err.rstrip().splitlines()
    assert done.code == 2
    assert done.out == ""
    assert first.startswith(told)
    assert re.fullmatch(r"usage: dejavu .*\(`dejavu.* -h` tells more\)", usage)


def test_a_refusal_loads_no_pydantic(home: Path) -> None:
    code = (
        "import sys; from dejavu.interfaces.command_line.app import run; "
        "run(['list', '--limit', 'x']); print('pydantic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "not a whole number" in done.stderr
    assert done.stdout == "False\n"


def test_no_choice_is_suggested_that_is_far_from_the_word(dejavu: Callable[..., Result]) -> None:
    assert "did you mean" not in dejavu("stats", "--by", "cost").err
    assert "did you mean 'model'?" in dejavu("stats", "--by", "modle").err


@pytest.mark.parametrize("option", ["--agent claude", "--agent=claude", "--tag bug"])
def test_the_list_that_is_named_for_an_option_of_list_works_as_typed(
    dejavu: Callable[..., Result], archived: list[Conversation], option: str
) -> None:
    told = dejavu("export", *shlex.split(option)).err
    (line,) = re.findall(r"`dejavu (list [^`]*)`", told)
    assert option.replace("=", " ") in line
    done = dejavu(*shlex.split(line))
    assert (done.code, done.out.split()) == (0, [archived[1].id] if "claude" in option else [])


@pytest.mark.parametrize(
    "line", ["list -a claude -a codex", "search x --workspace a --workspace=b"]
)
def test_a_filter_that_is_given_twice_is_refused(dejavu: Callable[..., Result], line: str) -> None:
    done = dejavu(*line.split())
    assert (done.code, done.out) == (2, "")
    assert "it takes one value and is given twice" in done.err
    assert dejavu("list", "-n", "1", "-n", "2").code == 0, "of a number the last counts"
