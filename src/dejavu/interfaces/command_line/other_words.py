"""What other programs call our commands and options, for people who type their word. O(1).

A command line in backticks is one of ours, which a test holds; so is every name of the tables. Must not
guess: an option is suggested only where a letter or two are wrong, or where the tables have it.
"""

import re
from collections.abc import Collection

from dejavu.model.edit_distance import distance

_WORDS = {
    "list": "ls log logs history sessions conversations",
    "show": "view cat read tail",
    "search": "find grep query",
    "stats": "cost costs usage tokens",
    "status": "ps top",
    "delete": "rm remove del",
    "star": "pin favourite favorite bookmark",
    "tag": "label tags",
    "rename": "title name mv",
    "init": "install setup enable hooks",
    "uninstall": "disable",
    "run": "start new wrap",
    "stop": "kill",
    "import": "load",
    "redact": "mask",
    "web": "open browse ui",
    "resume": "continue reopen",
    "memory find": "search query recall ask get",
    "memory add": "remember new store save",
    "memory list": "ls show",
    "memory forget": "delete remove rm",
    "code recover": "undo revert rollback restore",
    "code handoff": "continue brief",
    "archive prune": "cleanup clean delete",
    "archive compact": "vacuum gc shrink",
    "archive verify": "check repair",
    "archive backup": "copy save",
    "secrets list": "scan find show ls",
    "secrets mask": "redact remove hide delete purge rm clean",
}
"""By our command the words for it: those for a command of a group hold in the group."""
_ALSO_ALONE = {"code recover": "undo revert rollback", "archive prune": "cleanup clean",
               "archive compact": "vacuum"}  # fmt: skip
"""Words that mean a command of a group without the group's name as well."""

_SIZE = "; `dejavu doctor --all` says how large the archive is"
_SETTINGS = "; settings are in config.toml; `dejavu doctor --all` says where"
_TWO = "; diff <(dejavu show A --oneline) <(dejavu show B --oneline) compares two conversations"
_PAGE = "; `dejavu export ID -f html -o FILE` writes a page to send"
_COMPLETION = "; packages install it; `dejavu --install-completion` does it for this shell"
_SERVICE = (
    "; `dejavu daemon` runs in the foreground; docs/guides/install.md names units to start it"
)
_LEFT_OUT = "; `dejavu sync` reads every folder; `dejavu archive prune --workspace` deletes one's conversations"
_ANSWERS = {
    "tui": "; `dejavu` alone opens the browser",
    "config": _SETTINGS,
    "configuration": _SETTINGS,
    "settings": _SETTINGS,
    "watch": "; try `dejavu status --watch` or `dejavu sync --watch`",
    "diff": "; `dejavu show` prints a conversation's changes, `dejavu code blame` who wrote a line"
    f"{_TWO}",
    "compare": _TWO,
    "share": _PAGE,
    "give": _PAGE,
    "prompts": "; `dejavu search role:user` finds prompts",
    "update": "; update it the way you installed it, then run `dejavu init --upgrade`",
    "version": "; it's `dejavu --version`",
    "service": _SERVICE,
    "autostart": _SERVICE,
    "ignore": _LEFT_OUT,
    "exclude": _LEFT_OUT,
    "unstar": "; try `dejavu star --remove`",
    "untag": "; try `dejavu tag --remove`",
    "trash": "; `dejavu delete --list` shows what was deleted, `dejavu delete --undo` brings it back",
    "deleted": "; `dejavu delete --list` shows what was deleted",
    "why": "; try `dejavu memory why` or `dejavu code blame --why`",
    "completion": _COMPLETION,
    "completions": _COMPLETION,
    "complete": _COMPLETION,
    "topics": "; `dejavu help` lists them",
    "copy": "; try `dejavu show`, or y in the browser (`dejavu` alone)",
    "size": _SIZE,
    "du": _SIZE,
    "archive info": _SIZE,
    "archive du": _SIZE,
    "archive size": _SIZE,
    "archive stats": _SIZE,
    "archive status": _SIZE,
    "archive list": "; `dejavu list` lists what is in the archive",
    "secrets check": "; `dejavu redact --check` looks through a file",
    "memory export": "; `dejavu memory list --json` prints all of them",
    "code diff": "; `dejavu show` prints a conversation's changes",
    "code log": "; `dejavu code commit --list` shows the conversations behind a commit",
}

_OPTIONS = {
    "--older-than": ("--before", "--until"),
    "--newer-than": ("--since",),
    "--after": ("--since",),
    "--from": ("--since",),
    "--to": ("--until",),
    "--before": ("--until",),
    "--project": ("--workspace",),
    "--folder": ("--workspace",),
    "--dir": ("--workspace",),
    "--host": ("--instance",),
    "--force": ("--yes", "--overwrite"),
    "--max": ("--limit",),
    "--count": ("--limit",),
    "--head": ("--limit",),
    "--output-format": ("--format",),
    "--global": ("--everywhere",),
    "--all-projects": ("--everywhere",),
    "--dry-run": ("--print",),
    "--print": ("--dry-run",),
    "--untag": ("--remove",),
    "--delete": ("--remove",),
    "--restore": ("--undo",),
    "-V": ("--version",),
}
"""By a word the options that may be meant, of the same command."""
_DEAREST = "; `dejavu stats --by conversation --measure cost` has the dearest first"
_ELSEWHERE = {
    "export --md": "; it's `dejavu export -f md`",
    "export --markdown": "; it's `dejavu export -f md`",
    "export --html": "; it's `dejavu export -f html`",
    "export --json": "; it's `dejavu export -f json`",
    "export --jsonl": "; it's `dejavu export -f jsonl`",
    "export --raw": "; it's `dejavu export -f raw`",
    "resume --in": "; `dejavu code handoff --to` continues in another agent",
    "resume --agent": "; `dejavu code handoff --to` continues in another agent",
    "resume --with": "; `dejavu code handoff --to` continues in another agent",
    "stop --all": "; name each session: `dejavu status --format '{id}'` prints the ids",
    "list --deleted": "; it's `dejavu delete --list`",
    "list --trash": "; it's `dejavu delete --list`",
    "list --title": "; name words of it: `dejavu list WORD`",
    "list --search": "; it's `dejavu search`",
    "list --sort": "; the newest is first; `dejavu list --cost` adds what each cost",
    "list --csv": "; `dejavu list --format` takes a template, such as '{id},{title}'",
    "stats --cost": "; it shows what everything cost; `dejavu list --cost` does for each conversation",
    "stats --sort": "; `dejavu stats --by` has a row for each agent, model, day or conversation",
    "stats --limit": _DEAREST,
    "stats -n": _DEAREST,
    "search --starred": "; put is:starred among the words, as `dejavu help query` says",
    "search --tag": "; put tag:NAME among the words, as `dejavu help query` says",
    "search --title": "; `dejavu list WORD` looks in titles",
    "show -1": "; `dejavu show last~1` shows the one before the last",
    "show --follow": "; `dejavu attach` shows a running session",
    "doctor --fix": "; each finding that `dejavu doctor` prints names its fix",
    "secrets list --check": "; it's `dejavu redact --check`",
    "sync --exclude": _LEFT_OUT,
    "sync --ignore": _LEFT_OUT,
    "sync --all": "; it's what `dejavu sync` does",
}
"""By a command and an option that it does not have what is meant."""
_VALUES = {
    "week": ("day", "; `dejavu stats --by day --since 7d` has the days of a week"),
    "cost": ("conversation", _DEAREST),
}
"""By a word that is no value of an option: a value of that option, and what is meant."""
_LONG = 6  # letters of a word that may have two mistakes; a shorter one may have one
_LISTED = "; `dejavu list {option} --format '{{id}}'` prints the ids to name here"
_HYPHENS = "; put -- before words that begin with a hyphen"


def command(word: str, commands: dict[str, str], group: str = "") -> str:
    """What to add to "unknown command": a command of ours, or nothing.

    commands: name to summary. group: the name of the group that the word follows.
    """
    name = f"{group} {word}".strip()
    words = _WORDS if group else {**_WORDS, **_ALSO_ALONE}
    for meant, typed in words.items():
        is_here = (
            meant.startswith(f"{group} ") if group else (" " not in meant or meant in _ALSO_ALONE)
        )
        if is_here and word in typed.split():
            return f"; did you mean {meant.removeprefix(f'{group} ')!r}? ({commands[meant]})"
    if name in _ANSWERS:
        return _ANSWERS[name]
    known = [
        one.removeprefix(f"{group} ") for one in commands if one.startswith(f"{group} ".lstrip())
    ]
    near = _misspelt(word, known)
    return f"; did you mean {near!r}?" if near else ""


def option(word: str, command: str, options: Collection[str], *, listed: Collection[str] = (),
           takes_words: bool = False) -> str:  # fmt: skip
    """What to add to "unknown option": an option of the same command, another command, or nothing.

    options: those of the command. listed: the options of `list`, where the command takes ids.
    takes_words: whether its arguments are any words, which may begin with a hyphen.
    """
    meant = next((one for one in _OPTIONS.get(word, ()) if one in options), "")
    if not meant and (elsewhere := _ELSEWHERE.get(f"{command} {word}")):
        return elsewhere
    meant = meant or _misspelt(word, [one for one in options if one.startswith("--")])
    if meant:
        return f"; did you mean {meant}?"
    if word in listed and word.startswith("--"):
        return _LISTED.format(option=word)
    return _HYPHENS if takes_words and not word.startswith("--") else ""


def value(word: str, values: Collection[str]) -> str:
    """What to add where `word` is not one of an option's values: what is meant, or nothing."""
    sibling, answer = _VALUES.get(word, ("", ""))
    return answer if sibling in values else ""


def _misspelt(word: str, known: Collection[str]) -> str:
    """The name of which a letter or two are wrong; empty where none is so near."""
    typed = word.lstrip("-")
    most = 1 if len(typed) < _LONG else 2
    names = [one for one in known if len(typed) > 2 or one.lstrip("-").startswith(typed)]
    apart = {one: distance(typed, one.lstrip("-")) for one in names}
    near = [one for one in names if apart[one] <= most]
    return min(near, key=lambda one: apart[one], default="")


def lines() -> list[str]:
    """The command lines of ours in all answers, for the test that they exist."""
    answers = [*_ANSWERS.values(), *_ELSEWHERE.values(), *(told for _, told in _VALUES.values())]
    return [line for answer in answers for line in re.findall(r"`(dejavu[^`]*)`", answer)]
