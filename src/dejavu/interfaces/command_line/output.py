"""Print JSON for programs and sanitised text for people.

Every text from an agent goes through the sanitiser; JSON stays exact, with every character that a
terminal could act on written as an escape.
"""

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from dejavu.model.errors import InvalidValueError
from dejavu.model.timestamps import known_time

if TYPE_CHECKING:
    from dejavu.archive.maintenance.old_copies import LeftBehind
    from dejavu.archive.maintenance.prune import HeldConversation

T = TypeVar("T")

# DEL, C1, bidi controls and invisible marks: legal in JSON, dangerous on a terminal. Like the next
# one a text, which `re` compiles at its first use.
_UNSAFE = r"[\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"

_NAME = r"\{(\w+)\}"

_bare_arrays = False
_fields: tuple[str, ...] = ()

NARROW = r"[ -~\u00a1-\u00ac\u00ae-\u02ff\u0400-\u0482\u2010-\u2027\u2030-\u205e\u2190-\u21ff]*"
"""Printable Latin, Cyrillic, punctuation and arrows: a cell each, and nothing to sanitise."""


def json_text(value: Any, *, indent: int | None = None, ascii_only: bool = False) -> str:
    """Return `value` as JSON: UTF-8 where it is harmless, escapes where it is not."""
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    return re.sub(_UNSAFE, lambda unsafe: f"\\u{ord(unsafe[0]):04x}", text)


def print_json(value: Any) -> None:
    """One JSON document, written at once: its reader may wait for it while the command continues."""
    indent = 2 if sys.stdout.isatty() else None
    print(json_text(value, indent=indent, ascii_only=not _is_utf8()), flush=True)


def print_rows(plural: str, rows: Sequence[Any], *, next_offset: int | None = None) -> None:
    """Rows as the form that lists have: `{"<plural>": [...], "next": offset or null}`.

    next_offset: the `--offset` at which the rest begins; None where nothing is left.
    """
    print_json({plural: list(rows), "next": next_offset})


def print_list(plural: str, rows: Sequence[Any], *, next_offset: int | None = None) -> None:
    """As `print_rows`; as the bare array it was before where `--json=1` asks for that."""
    if _bare_arrays:
        print_json(list(rows))
    else:
        print_rows(plural, rows, next_offset=next_offset)


def use_bare_arrays(on: bool) -> None:
    """Print the lists of `print_list` as bare arrays (`--json=1`), for scripts of the version before."""
    global _bare_arrays
    _bare_arrays = on


def use_fields(names: tuple[str, ...]) -> None:
    """Keep only these fields of the rows that `chosen` is given (`--json=id,title`); none: all."""
    global _fields
    _fields = names


def chosen(rows: "Sequence[dict[str, Any]]") -> Sequence[dict[str, Any]]:
    """The rows with the fields that the line asks for.

    Raises:
        InvalidValueError: a field that no row has.
    """
    return select(rows, _fields) if _fields else rows


def select(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    """The rows with these fields alone, in this order; null where a row has no such field.

    Raises:
        InvalidValueError: a field that no row has. Without rows every name is taken.
    """
    _check(rows, names)
    return [{name: row.get(name) for name in names} for row in rows]


def formatted(rows: Sequence[Mapping[str, Any]], template: str) -> Iterator[str]:
    r"""A safe text for each row: `{title}` is that field; `\t` and `\n` are a tab and a new line.

    Raises:
        InvalidValueError: a field that no row has.
    """
    _check(rows, re.findall(_NAME, template))
    layout = template.replace("\\t", "\t").replace("\\n", "\n")
    for row in rows:
        pieces = re.split(_NAME, layout)  # text, name, text, name ...
        pieces[1::2] = [_shown(row.get(name)) for name in pieces[1::2]]
        yield "".join(pieces)


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return one_line(value if isinstance(value, str) else json_text(value))


def _check(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> None:
    known = dict.fromkeys(name for row in rows for name in row)
    unknown = [name for name in names if name not in known]
    if known and unknown:
        raise InvalidValueError(f"no field {unknown[0]!r}; there are {', '.join(known)}")


def print_jsonl(values: Iterable[Any]) -> None:
    """One JSON object a line, each written at once."""
    ascii_only = not _is_utf8()
    for value in values:
        print(json_text(value, ascii_only=ascii_only), flush=True)


def _is_utf8() -> bool:
    """Whether stdout takes every character."""
    return (sys.stdout.encoding or "utf-8").lower().replace("-", "") == "utf8"


def coloured() -> bool:
    """Whether stdout is a terminal that wants colours (https://no-color.org)."""
    return (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )


def style(text: str, code: str) -> str:
    """`text` (already safe) in the SGR `code`, where colours are wanted."""
    return f"\x1b[{code}m{text}\x1b[0m" if coloured() else text


def safe(text: str) -> str:
    """`text` in one line with nothing that acts on a terminal, its blanks kept."""
    if re.fullmatch(NARROW, text):
        return text
    from dejavu.redact.sanitise import sanitise

    return sanitise(text, newlines=False)


def one_line(text: str, width: int | None = None) -> str:
    """A safe single line of `text`, cut to `width` cells with an ellipsis."""
    if re.fullmatch(NARROW, text):
        safe = text.strip()
        return safe if width is None or len(safe) <= width else safe[: width - 1] + "…"
    # Loading the sanitiser's and wcwidth's tables costs a quarter of a quick command.
    from dejavu.redact.sanitise import sanitise

    safe = sanitise(text, newlines=False).strip()
    if width is None:
        return safe
    from wcwidth import wcswidth, wcwidth

    if 0 <= wcswidth(safe) <= width:
        return safe
    used = 0
    for end, character in enumerate(safe):
        used += max(wcwidth(character), 0)
        if used > width - 1:
            return safe[:end] + "…"
    return safe + "…"


def local_time(at: float | None, form: str = "%Y-%m-%d %H:%M") -> str:
    """A local time in the `strftime` form; as many blanks where it is not known.

    A time outside 1990..2200 is a broken clock's, and not known: what was archived of it stays.
    """
    timestamp = known_time(at)
    shown = datetime.fromtimestamp(timestamp or 0).astimezone().strftime(form)
    return shown if timestamp else " " * len(shown)


def print_note(sentence: str) -> None:
    """A remark for the person, on stderr."""
    if not re.fullmatch(NARROW, sentence):
        from dejavu.redact.sanitise import sanitise

        sentence = sanitise(sentence)
    print(sentence, file=sys.stderr)


def confirm(question: str) -> bool:
    """Ask on stderr and read the answer from stdin; no answer is no.

    Raises:
        KeyboardInterrupt: stdin ended without one.
    """
    while True:
        print(f"{question} [y/N]: ", end="", file=sys.stderr, flush=True)
        answer = sys.stdin.readline()
        if not answer:
            print(file=sys.stderr)
            raise KeyboardInterrupt
        if answer.strip().lower() in ("", "n", "no", "y", "yes"):
            return answer.strip().lower() in ("y", "yes")


def first(limit: int | None, results: Iterable[T], *, skip: int = 0) -> list[T]:
    """The first `limit` of `results` after `skip`; a note on stderr says where there are more."""
    return page(limit, results, skip=skip)[0]


def page(limit: int | None, results: Iterable[T], *, skip: int = 0) -> tuple[list[T], int | None]:
    """As `first`, and the offset at which the rest begins; None where nothing is left.

    Ask the source for one more than is shown, or the note is never printed. limit: None is all.
    """
    rest: Iterator[T] = islice(results, skip, None)
    shown = list(islice(rest, limit))
    if next(rest, None) is None:
        return shown, None
    told = "first is" if limit == 1 else f"first {limit} are"
    print_note(f"only the {told} shown; --limit shows more")
    return shown, skip + len(shown)


def print_held(conversations: "Iterable[HeldConversation]") -> None:
    """Name the conversations that were to go and stay."""
    for one in conversations:
        print_note(f"{one.conversation} stays, under legal hold: {one_line(one.reason, 200)}")


def print_left_behind(copies: "Iterable[LeftBehind]") -> None:
    """Name the older copies in which deleted text may still stand."""
    for copy in copies:
        print_note(
            f"what was deleted may still stand in {one_line(str(copy.path))} "
            f"({one_line(copy.reason)}): {copy.fix}"
        )
