"""What other programs call our commands, for who types their word. O(1)."""

from ..filters import did_you_mean

_WORDS = {
    "list": "ls log logs history sessions conversations",
    "show": "view cat open read tail",
    "search": "find grep query",
    "stats": "cost costs usage tokens",
    "status": "ps top",
    "prune": "delete rm remove del cleanup clean",
    "init": "install setup enable hooks",
    "uninstall": "disable",
    "run": "start new wrap",
    "stop": "kill",
    "import": "load",
    "redact": "mask",
    "recover": "undo revert rollback",
}
_COMMANDS = {word: command for command, words in _WORDS.items() for word in words.split()}
_RESUME = "; R in the browser (`dejavu` alone) resumes, `dejavu handoff` goes on in another agent"
_ANSWERS = {
    "browse": "; `dejavu` alone opens the browser",
    "tui": "; `dejavu` alone opens the browser",
    "ui": "; `dejavu` alone opens the browser",
    "web": "; `dejavu serve --open` opens the page",
    "resume": _RESUME,
    "continue": _RESUME,
    "config": "; settings stand in config.toml, `dejavu doctor --all` says where",
    "settings": "; settings stand in config.toml, `dejavu doctor --all` says where",
    "watch": "; did you mean 'status --watch' or 'sync --watch'?",
    "diff": "; `dejavu show` prints what a conversation changed as a diff, `dejavu blame` who wrote a line",
    "copy": "; did you mean 'show', or y in the browser (`dejavu` alone)?",
}


def suggestion(word: str, commands: dict[str, str]) -> str:
    """What to add to "unknown command": a command of ours, or nothing. `commands`: name to summary."""
    if word in _COMMANDS:
        return f"; did you mean {_COMMANDS[word]!r}? ({commands[_COMMANDS[word]]})"
    return _ANSWERS.get(word) or did_you_mean(word, list(commands))
