"""What other programs call our commands and options, for people who type their word. O(1)."""

from collections.abc import Collection

from ..filters import did_you_mean

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
    "archive prune": "cleanup clean",
    "archive compact": "vacuum",
    "init": "install setup enable hooks",
    "uninstall": "disable",
    "run": "start new wrap",
    "stop": "kill",
    "import": "load",
    "redact": "mask",
    "code recover": "undo revert rollback",
    "web": "open browse ui",
    "resume": "continue reopen",
}
_COMMANDS = {word: command for command, words in _WORDS.items() for word in words.split()}
_ANSWERS = {
    "tui": "; `dejavu` alone opens the browser",
    "config": "; settings are in config.toml; `dejavu doctor --all` says where",
    "settings": "; settings are in config.toml; `dejavu doctor --all` says where",
    "watch": "; did you mean 'status --watch' or 'sync --watch'?",
    "diff": "; `dejavu show` prints a conversation's changes, `dejavu code blame` who wrote a line",
    "unstar": "; did you mean 'star --remove'?",
    "untag": "; did you mean 'tag --remove'?",
    "trash": "; `dejavu delete --undo` brings back what was deleted",
    "why": "; did you mean 'memory why' or 'code blame --why'?",
    "completion": '; packages install it: see "Completion" in docs/guides/install.md',
    "topics": "; `dejavu help` lists them",
    "copy": "; did you mean 'show', or y in the browser (`dejavu` alone)?",
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
    "--machine": ("--instance",),
    "--host": ("--instance",),
    "--force": ("--yes", "--overwrite"),
    "--max": ("--limit",),
    "--count": ("--limit",),
    "--output-format": ("--format",),
}


def option(word: str, options: Collection[str]) -> str:
    """The option of a command that other programs call `word`; empty where it has none."""
    return next((one for one in _OPTIONS.get(word, ()) if one in options), "")


def suggestion(word: str, commands: dict[str, str]) -> str:
    """What to add to "unknown command": a command of ours, or nothing. `commands`: name to summary."""
    if word in _COMMANDS:
        return f"; did you mean {_COMMANDS[word]!r}? ({commands[_COMMANDS[word]]})"
    return _ANSWERS.get(word) or did_you_mean(word, list(commands))
