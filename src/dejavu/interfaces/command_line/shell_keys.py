"""The shell key: a binding that opens `dejavu pick` and puts the choice on the command line.

Text for `eval`, for bash, zsh and fish. A key that the user bound stays theirs: the text says so on
stderr and leaves it, unless it was forced. The shell's own default for Ctrl-R counts as free.
"""

import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from dejavu.model import InvalidValueError

DEFAULT = "alt-j"
_KEY = re.compile(r"(alt|ctrl)-([a-z])")


class ShellKey(NamedTuple):
    """A key by its modifier and letter."""

    modifier: str
    letter: str

    @property
    def label(self) -> str:
        """`Alt-J`, as people read it."""
        return f"{self.modifier.title()}-{self.letter.upper()}"

    @property
    def readline(self) -> str:
        """As bash and fish write it."""
        return (rf"\e{self.letter}", rf"\C-{self.letter}")[self.modifier == "ctrl"]

    @property
    def fish(self) -> str:
        """As fish writes it."""
        return (rf"\e{self.letter}", rf"\c{self.letter}")[self.modifier == "ctrl"]

    @property
    def zsh(self) -> str:
        """As zsh writes it."""
        return (f"^[{self.letter}", f"^{self.letter.upper()}")[self.modifier == "ctrl"]


def parse_key(text: str) -> ShellKey:
    """The key that `alt-j` or `ctrl-r` names.

    Raises:
        InvalidValueError: it names none that can be bound.
    """
    match = _KEY.fullmatch(text.strip().lower())
    if match is None or match[0] in ("ctrl-c", "ctrl-d", "ctrl-i", "ctrl-j", "ctrl-m", "ctrl-z"):
        raise InvalidValueError(f"{text!r} cannot be bound to a key; try alt-j or ctrl-r")
    return ShellKey(match[1], match[2])


def binding(shell: str, key: ShellKey, program: str, *, force: bool) -> Iterator[str]:
    """The lines that bind a key in a shell; `program` is the path of `dejavu`."""
    lines = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]
    yield from lines(key, program, force)


def unbinding(shell: str, key: ShellKey) -> Iterator[str]:
    """The lines that take our binding away, and no other."""
    if shell == "bash":
        yield f"""case "$(bind -X 2>/dev/null)" in *{shlex.quote(f'"{key.readline}"')}*__dejavu_pick*)"""
        yield f"  bind -r {shlex.quote(key.readline)} ;; esac"
        yield "unset -f __dejavu_pick 2>/dev/null || true"
    elif shell == "zsh":
        yield f'case "$(bindkey {shlex.quote(key.zsh)})" in *__dejavu_pick)'
        yield f"  bindkey -r {shlex.quote(key.zsh)} ;; esac"
        yield "zle -D __dejavu_pick 2>/dev/null || true"
    else:
        yield f"if string match -q '*__dejavu_pick*' -- (bind --user {key.fish} 2>/dev/null)"
        yield f"  bind --user -e {key.fish}"
        yield "end"
        yield "functions -e __dejavu_pick"


def _taken(key: ShellKey, bound: str) -> str:
    """What is said where the key is the user's own."""
    return (
        f'echo "dejavu: {key.label} is bound already ({bound}) and stays so;'
        ' --force takes it, --key names another" >&2'
    )


def _bash(key: ShellKey, program: str, force: bool) -> Iterator[str]:
    yield "if [[ $- == *i* ]]; then"
    yield "function __dejavu_pick {"
    yield f'  local picked; picked="$(command {shlex.quote(program)} pick </dev/tty)"'
    yield '  READLINE_LINE="${READLINE_LINE:0:READLINE_POINT}${picked}${READLINE_LINE:READLINE_POINT}"'
    yield "  READLINE_POINT=$((READLINE_POINT + ${#picked}))"
    yield "}"
    seq = f'"{key.readline}":'
    bind = f"bind -x {shlex.quote(f'{seq} __dejavu_pick')}"
    if force:
        yield bind
    else:
        yield '__dejavu_bound="$({ bind -p; bind -s; bind -X; } 2>/dev/null |'
        quoted = shlex.quote(seq)
        yield f"  while IFS= read -r line; do case $line in {quoted}*)"
        yield f'    printf %s "${{line#{quoted} }}" ;; esac; done)"'
        yield 'case "$__dejavu_bound" in'
        free = "|*reverse-search-history" if key == ("ctrl", "r") else ""
        yield f"  ''|*__dejavu_pick*{free}) {bind} ;;"
        yield f"  *) {_taken(key, '$__dejavu_bound')} ;;"
        yield "esac"
        yield "unset __dejavu_bound"
    yield "fi"


def _zsh(key: ShellKey, program: str, force: bool) -> Iterator[str]:
    yield "if [[ -o interactive ]]; then"
    yield "function __dejavu_pick {"
    yield f'  local picked; picked="$(command {shlex.quote(program)} pick </dev/tty)"'
    yield "  zle reset-prompt"
    yield '  LBUFFER+="$picked"'
    yield "}"
    yield "zle -N __dejavu_pick"
    bind = f"bindkey {shlex.quote(key.zsh)} __dejavu_pick"
    if force:
        yield bind
    else:
        yield f'__dejavu_bound="$(bindkey {shlex.quote(key.zsh)})"'
        yield 'case "${__dejavu_bound##* }" in'
        free = "|history-incremental-search-backward|redisplay" if key == ("ctrl", "r") else ""
        yield f"  undefined-key|__dejavu_pick{free}) {bind} ;;"
        yield f"  *) {_taken(key, '${__dejavu_bound##* }')} ;;"
        yield "esac"
        yield "unset __dejavu_bound"
    yield "fi"


def _fish(key: ShellKey, program: str, force: bool) -> Iterator[str]:
    quoted = "'" + program.replace("\\", "\\\\").replace("'", "\\'") + "'"
    yield "if status is-interactive"
    yield "function __dejavu_pick"
    yield f"  set -l picked (command {quoted} pick </dev/tty | string collect)"
    yield "  commandline -f repaint"
    yield '  test -n "$picked"; and commandline -i -- $picked'
    yield "end"
    bind = f"bind {key.fish} __dejavu_pick"
    if force:
        yield bind
    else:
        yield f"set -l bound (bind --user {key.fish} 2>/dev/null)"
        yield 'if test -z "$bound"; or string match -q \'*__dejavu_pick*\' -- "$bound"'
        yield f"  {bind}"
        yield f"else; {_taken(key, '$bound')}; end"
    yield "end"
