"""The screen as it is, redacted, for a process of the same user that asks.

Serves the screen over a Unix socket (0600) in the session's folder: who connects gets one JSON
document, or `{"error": ...}`. Redaction happens here, where the agent's own secrets are known;
nothing is written to disk. Never waits for the one who asked: a picture that does not fit the
socket at once is not sent. `look` is the other end.

`draw` makes escape sequences that show a picture again, its soft wraps and styles included; links
are left out, since an address may hold what its text does not show.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from socket import SO_SNDBUF, SOL_SOCKET
from typing import Any

from dejavu.capsule.unix_socket import connect, listen
from dejavu.model import CaptureError, NotFoundError
from dejavu.redact import Redactor
from dejavu.scrapers.composer import Composer
from dejavu.screen import Color, Snapshot, Style

NAME = "screen"
"""The socket's name in the session's folder."""

_ROOM = 4 << 20
"""Bytes a socket may hold for one that is slow to read."""

_FLAGS = (("bold", 1), ("dim", 2), ("italic", 3), ("blink", 5), ("inverse", 7),
          ("invisible", 8), ("strike", 9), ("overline", 53))  # fmt: skip


def picture(snapshot: Snapshot, redactor: Redactor) -> dict[str, Any]:
    """The screen as plain values, rows and title redacted."""
    rows = redactor.redact_rows(snapshot.rows, snapshot.columns, snapshot.wrapped)
    title = redactor.redact(snapshot.title)
    return {
        "columns": snapshot.columns,
        "lines": snapshot.lines,
        "rows": rows,
        "title": title,
        "alternate": snapshot.alternate,
        "cursor": list(snapshot.cursor),
        "drawing": draw(snapshot, rows, title),
    }


def field(composer: Composer | None, columns: int, redactor: Redactor) -> dict[str, Any] | None:
    """An agent's text field as plain values, its rows redacted; None where none is seen."""
    if composer is None:
        return None
    unwrapped = (False,) * len(composer.rows)
    return {
        "rows": redactor.redact_rows(composer.rows, columns, unwrapped),
        "top": composer.top,
        "cursor": list(composer.cursor),
    }


def draw(snapshot: Snapshot, rows: list[str], title: str) -> str:
    """What a terminal of this size must be told to show `snapshot` with `rows` as its text."""
    return "".join(_drawn(snapshot, rows, title))


def _drawn(snapshot: Snapshot, rows: list[str], title: str) -> Iterator[str]:
    yield "\x1b[?1049h" if snapshot.alternate else ""
    yield f"\x1b]0;{title}\x07" if title else ""
    text = Snapshot.from_rows(rows, snapshot.columns)
    continued = False
    for index, runs in enumerate(snapshot.styles):
        if not continued:
            yield f"\x1b[{index + 1};1H"
        continued = snapshot.wrapped[index]
        at = 0
        for run in runs:
            yield text.crop(index, at, run.start)
            yield f"\x1b[{_sgr(run.style)}m{text.crop(index, run.start, run.end)}\x1b[m"
            at = run.end
        rest = text.crop(index, at, snapshot.columns)
        # A row that the next one continues must be full; any other ends where its text does.
        yield rest if continued else rest.rstrip(" ")
    row, column = snapshot.cursor
    yield f"\x1b[{row + 1};{column + 1}H" + ("" if snapshot.cursor_visible else "\x1b[?25l")


def _sgr(style: Style) -> str:
    """The parameters of SGR for a style."""
    codes = [str(code) for name, code in _FLAGS if getattr(style, name)]
    if style.underline:
        codes.append(f"4:{style.underline}")
    for base, color in ((38, style.fg), (48, style.bg), (58, style.underline_color)):
        codes += _color(base, color)
    return ";".join(codes)


def _color(base: int, color: Color) -> list[str]:
    if isinstance(color, str):
        red, green, blue = bytes.fromhex(color[1:])
        return [f"{base};2;{red};{green};{blue}"]
    return [] if color is None else [f"{base};5;{color}"]


class ScreenServer:
    """Serves `folder`'s socket from the observer's loop; `take` makes the picture."""

    def __init__(self, folder: Path, take: Callable[[], dict[str, Any]]) -> None:
        self._path, self._take = folder / NAME, take
        self._listener = listen(self._path)

    def fileno(self) -> int:
        """What to wait for."""
        return self._listener.fileno()

    def ready(self) -> None:
        """Answer the connected client. Never raises on account of them."""
        with suppress(OSError):
            connection, _ = self._listener.accept()
            with connection:
                connection.setsockopt(SOL_SOCKET, SO_SNDBUF, _ROOM)
                connection.setblocking(False)
                connection.sendall(json.dumps(self._take()).encode())

    def leave(self) -> None:
        """Answer no more, where another process has the socket, too."""
        self._listener.close()

    def close(self) -> None:
        """Take the socket away."""
        self.leave()
        self._path.unlink(missing_ok=True)


def look(folder: Path, timeout: float = 5.0) -> dict[str, Any]:
    """The screen of the session in `folder`, redacted.

    Raises:
        NotFoundError: its observer does not answer.
        CaptureError: it has no screen to show.
    """
    answer = bytearray()
    try:
        with connect(folder / NAME, timeout) as connection:
            while data := connection.recv(1 << 16):
                answer += data
        snapshot: dict[str, Any] = json.loads(answer)
    except FileNotFoundError as error:
        why = "it has ended, or has just started and will in a moment"
        raise NotFoundError(f"{folder.name} shows no screen: {why}") from error
    except (OSError, ValueError) as error:
        raise NotFoundError(f"{folder.name} shows no screen ({error})") from error
    if "error" in snapshot:
        raise CaptureError(f"{folder.name}: {snapshot['error']}")
    return snapshot
