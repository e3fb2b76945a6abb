"""String sequences: OSC, and the few DCS that are questions; the others are swallowed.

What arrives is the body between introducer and terminator.
Cost: O(length), which the tokenizer bounds.
"""

import json
import re
from base64 import b64decode

from .attributes import LINK
from .changes import AgentStatus, Bell, Notification, Progress, PromptMark, Title
from .device_reports import DeviceReports
from .program_status import parse_report
from .row import COMMAND, OUTPUT, PROMPT

_JSON_LIMIT = 1 << 16  # characters of an OSC 9999
_TEXT_LIMIT = 4096  # characters of a title or a notification
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]+")
_MARKS = {"A": PROMPT, "B": COMMAND, "C": OUTPUT}
_FIELD = re.compile(r"(?:[^;\\]|\\.)+")
_OTHER_PROMPT = re.compile(r"(?:^|;)k=[^i;]")  # at the right, or of a continuation
_TEXT_AND_CURSOR_COLORS = (10, 11, 12)


def _int(text: str, default: int = 0) -> int:
    """Up to five digits, else the default."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 5 else default


class StringSequences(DeviceReports):
    """Everything said in OSC and DCS."""

    __slots__ = ()

    def bell(self) -> None:
        """BEL."""
        self.events.append(Bell())

    def set_title(self, text: str) -> None:
        """OSC 0 and 2."""
        self.title = _CONTROLS.sub("", text)[:_TEXT_LIMIT]
        self.events.append(Title(self.title))

    def set_icon_name(self, text: str) -> None:
        """OSC 1: it is not shown."""

    def osc(self, body: str) -> None:
        """An operating system command: a number, and what belongs to it."""
        number, _, rest = body.partition(";")
        if number in ("0", "1"):
            self.set_icon_name(rest)
        if number in ("0", "2"):
            self.set_title(rest)
        elif number == "8":
            self._hyperlink(rest)
        elif number == "9":
            self._notify_or_progress(rest)
        elif number == "133":
            self._prompt_mark(rest)
        elif number == "777":
            kind, _, message = rest.partition(";")
            if kind == "notify":
                self._notify(": ".join(part for part in message.split(";", 1) if part))
        elif number == "7501":
            self._program_status(rest)
        elif number == "26":
            self._agent_status(rest)
        elif number == "9999":
            self._agent_status_json(rest)
        elif number == "21337":
            self._tab_status(rest)
        elif number == "99":
            self._kitty_notification(rest)
        elif number == "4":
            self._ask_palette(rest.split(";")[:64])
        elif _int(number) in _TEXT_AND_CURSOR_COLORS and rest == "?":
            self.report_color(int(number))

    def _prompt_mark(self, rest: str) -> None:
        """OSC 133: a new shell prompt ends whatever a program before it reported to be at."""
        kind, _, detail = rest.partition(";")
        if kind in ("A", "B", "C", "D"):
            self.events.append(PromptMark(kind, detail[:_TEXT_LIMIT]))
            if kind != "D":
                cells, attributes, flags = self.rows[self.y]
                self.rows[self.y] = (cells, attributes, flags | _MARKS[kind])
            if kind == "A" and self.screen is self.main and not _OTHER_PROMPT.search(detail):
                self.records.drop_transient()

    def _program_status(self, rest: str) -> None:
        """OSC 7501: a report; the query (`?`) is for the terminal's owner to answer."""
        report = parse_report(rest)
        if report is not None:
            self.records.apply(report)
            self.events.append(report)

    def _agent_status(self, rest: str) -> None:
        """OSC 26: `Key=value` between semicolons; without a status it says nothing."""
        fields = dict(
            field.partition("=")[::2] for field in _CONTROLS.sub(" ", rest[:_TEXT_LIMIT]).split(";")
        )
        if status := fields.get("Status", ""):
            names = ("CodeAgent", "SessionId", "Detail", "TaskProgress")
            self.events.append(AgentStatus(status, *(fields.get(name, "") for name in names)))

    def _tab_status(self, rest: str) -> None:
        """OSC 21337 (iTerm2's): `key=value` between semicolons; an empty status says nothing."""
        text = _CONTROLS.sub(" ", rest[:_TEXT_LIMIT])
        fields = dict(pair.partition("=")[::2] for pair in _FIELD.findall(text))
        status = fields.get("status", "").rstrip(".\u2026 ").lower()
        if status:
            detail = re.sub(r"\\(.)", r"\1", fields.get("detail", ""))
            self.events.append(AgentStatus(status, "", "", detail))

    def _agent_status_json(self, rest: str) -> None:
        """OSC 9999 (Orca's): a JSON object with `state` and `agentType`; other bodies are others'."""
        if not rest.startswith("{") or len(rest) > _JSON_LIMIT:
            return
        try:
            fields: object = json.loads(rest)
        except (ValueError, RecursionError):
            return
        if not isinstance(fields, dict):
            return
        status, agent = (fields.get(name) for name in ("state", "agentType"))  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] - JSON
        if isinstance(status, str):
            known = agent if isinstance(agent, str) else ""
            self.events.append(
                AgentStatus(*(_CONTROLS.sub(" ", text)[:_TEXT_LIMIT] for text in (status, known)))
            )

    def _kitty_notification(self, rest: str) -> None:
        """OSC 99: metadata, then a title or a body, which may come in several pieces (`d=0`)."""
        metadata, _, payload = rest.partition(";")
        fields = dict(field.partition("=")[::2] for field in metadata.split(":"))
        if fields.get("p", "title") not in ("title", "body"):
            return  # a query, an icon, a request to close
        if fields.get("e") == "1":
            try:
                payload = b64decode(payload, validate=True).decode("utf-8", "replace")
            except ValueError:
                return
        separator = ": " if self.notification and fields.get("p") == "body" else ""
        self.notification = (self.notification + separator + payload)[:_TEXT_LIMIT]
        if fields.get("d") != "0":
            text, self.notification = self.notification, ""
            if text:
                self._notify(text)

    def _hyperlink(self, rest: str) -> None:
        """OSC 8: `parameters ; URI`; an empty URI ends the link."""
        _, _, uri = rest.partition(";")
        self.style = self.style & ~LINK | self.palette.link(_CONTROLS.sub("", uri))
        self.pen = self.palette.intern(self.style)

    def _notify_or_progress(self, rest: str) -> None:
        """OSC 9: `4;state;value` is progress (ConEmu), other text a notification (iTerm2)."""
        fields = rest.split(";")
        if fields[0] == "4" and len(fields) > 1:
            value = _int(fields[2]) if len(fields) > 2 else 0
            self.events.append(Progress(_int(fields[1]), min(value, 100)))
        elif _int(fields[0], -1) not in range(1, 13) or len(fields) == 1:
            self._notify(rest)

    def _notify(self, text: str) -> None:
        self.events.append(Notification(_CONTROLS.sub(" ", text)[:_TEXT_LIMIT]))

    def _ask_palette(self, fields: list[str]) -> None:
        """OSC 4: pairs of an index and a colour, `?` asks; colours themselves are not kept."""
        for index, color in zip(fields[::2], fields[1::2], strict=False):
            if color == "?" and 0 <= _int(index, -1) <= 255:
                self.report_color(4, int(index))

    def dcs(self, body: str) -> None:
        """A device control string: XTGETTCAP and DECRQSS are answered, others swallowed."""
        if body.startswith("+q"):
            self.report_capabilities(body[2:])
        elif body.startswith("$q"):
            self.report_setting(body[2:])
