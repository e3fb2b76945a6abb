"""Program status (OSC 7501, revision 0.4): what programs report of their own state, by their rules.

A report is `key=value` pairs between colons; it replaces its record whole. `parse_report` returns
one report or None, `StatusRecords` keeps a terminal's records. A terminal answers the query `?` with
the same, and may name the states and kinds that it knows (`Capabilities`). Everything in a report is
untrusted text of the program: redact it before you show or store it. Nothing is answered here.
Where the revision leaves room (tests/screen/test_program_status_conformance.py) a report that may
mean another record than it names is dropped, and nothing is repaired.
Cost: O(length) a report, O(records) for a clear, a prompt mark and a listing.
"""

import re
from binascii import Error as Base64Error
from binascii import a2b_base64
from dataclasses import dataclass, replace

RECORDS_LIMIT = 256  # above it the record that was updated least recently goes
# Bytes of a whole report, from ESC to a two-byte ST; here the body's share of it.
_BODY_LIMIT = 4096 - len("\x1b]7501;") - len("\x1b\\")
_KEY_LIMIT = 16
_ID_LIMIT, _LEVELS_LIMIT = 128, 8
_TEXT_LIMITS = {"title": (256, 192), "msg": (2732, 2048)}  # bytes encoded, bytes decoded
_STATES = frozenset({"idle", "working", "done", "blocked", "error", "clear"})
_KINDS = frozenset({"permission", "question", "auth"})
_LIMITS = {"id": _ID_LIMIT, "app": 32, "title": 256, "msg": 2732}  # characters of a value
_TRANSIENT = frozenset({"working", "blocked"})

_PAIR = re.compile(r"([a-z]+)=([A-Za-z0-9_.,+/=-]*)")
_NAME = re.compile(r"[A-Za-z0-9_.+-]{1,32}")
_PROGRESS = re.compile(r"100|[0-9]{1,2}")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class ProgramStatus:
    """A report, and the record it leaves; `state` is never `clear` in a record.

    `id` is a path of names between slashes, "" for the root; `kind` (permission, question, auth)
    only comes with `blocked`, `progress` (percent) with `working` and `blocked`.
    """

    state: str
    id: str = ""
    kind: str = ""
    progress: int | None = None
    app: str = ""
    title: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a terminal that answered the query knows."""

    states: frozenset[str] = _STATES - {"clear"}
    kinds: frozenset[str] = _KINDS


def parse_reply(body: str) -> Capabilities | None:
    """Return what the answer to the query says, between `7501;` and its terminator; None: it is none.

    A list that is missing means all that this revision has; of several the last counts.
    """
    mark, _, rest = body.partition(":")
    if mark != "?" or len(body) > _BODY_LIMIT or _CONTROL.search(body):
        return None
    lists = dict(pair.partition("=")[::2] for pair in rest.split(":") if "=" in pair)
    known = {
        key: frozenset(name for name in lists[key].split(",") if name)
        for key in ("states", "kinds")
        if key in lists
    }
    return Capabilities(**known)


def parse_report(body: str) -> ProgramStatus | None:
    """Return the report between `7501;` and its terminator, or None where it is to be dropped.

    A pair of another form is skipped and an unknown key ignored, the last of duplicates counts.
    A limit that is passed (by a malformed pair, too), base64 that is none in any of several texts,
    and a control character drop the whole report; so does an id of another form, which must not be
    taken for the root's.
    """
    if len(body) > _BODY_LIMIT or _CONTROL.search(body):
        return None
    if len(body.encode("utf-8", "surrogatepass")) > _BODY_LIMIT:
        return None
    values: dict[str, str] = {}
    texts: dict[str, str] = {}
    for pair in body.split(":"):
        name, is_pair, given = pair.partition("=")
        if is_pair and (len(given) > _LIMITS.get(name, _BODY_LIMIT) or len(name) > _KEY_LIMIT):
            return None
        match = _PAIR.fullmatch(pair)
        if match is None:
            if name == "id" and is_pair:
                return None
            continue
        key, value = match.groups()
        if key in _TEXT_LIMITS:
            text = _decode(value, *_TEXT_LIMITS[key])
            if text is None:
                return None
            texts[key] = text
        elif key == "id" and not _is_id(value):
            return None
        values[key] = value
    state = values.get("state")
    if state not in _STATES:
        return None
    kind, progress, app = (values.get(key, "") for key in ("kind", "progress", "app"))
    measured = state in _TRANSIENT and _PROGRESS.fullmatch(progress) is not None
    return ProgramStatus(
        state,
        values.get("id", ""),
        kind if state == "blocked" and kind in _KINDS else "",
        int(progress) if measured else None,
        app if _NAME.fullmatch(app) else "",
        texts.get("title", ""),
        texts.get("msg", ""),
    )


def _is_id(value: str) -> bool:
    names = value.split("/")
    return (
        len(value) <= _ID_LIMIT and len(names) <= _LEVELS_LIMIT and all(map(_NAME.fullmatch, names))
    )


def _decode(value: str, encoded_limit: int, decoded_limit: int) -> str | None:
    """Return one line of base64 text (its padding may be missing); None where it is not that."""
    if len(value) > encoded_limit:
        return None
    bare = value.rstrip("=")
    padded = bare + "=" * (-len(bare) % 4)
    if value not in (bare, padded):
        return None
    try:
        data = a2b_base64(padded, strict_mode=True)
        text = data.decode()
    except (Base64Error, UnicodeDecodeError):
        return None
    return None if len(data) > decoded_limit or _CONTROL.search(text) else text


class StatusRecords:
    """The records of one terminal, each replaced whole by the next report of its id."""

    __slots__ = ("_records",)

    def __init__(self) -> None:
        self._records: dict[str, ProgramStatus] = {}  # the least recently updated first

    def apply(self, report: ProgramStatus) -> None:
        """Take one report; `clear` removes the record and its children, from the root all."""
        records = self._records
        if report.state == "clear":
            below = f"{report.id}/"
            self._records = {
                path: record
                for path, record in records.items()
                if report.id and path != report.id and not path.startswith(below)
            }
            return
        records.pop(report.id, None)
        if len(records) >= RECORDS_LIMIT:
            del records[next(iter(records))]
        records[report.id] = report

    def drop_transient(self) -> None:
        """The program ended or a new prompt began: nothing works or waits any more."""
        self._records = {
            path: record for path, record in self._records.items() if record.state not in _TRANSIENT
        }

    def clear(self) -> None:
        """RIS: nothing is known."""
        self._records = {}

    def __len__(self) -> int:
        return len(self._records)

    def listing(self) -> tuple[ProgramStatus, ...]:
        """Return the records by id, the root first, each with the name it inherits."""
        return tuple(
            record if record.app else replace(record, app=self._inherited_app(record.id))
            for _, record in sorted(self._records.items())
        )

    def _inherited_app(self, path: str) -> str:
        """Return the app of the nearest ancestor that names one."""
        while path:
            path = path.rpartition("/")[0]
            record = self._records.get(path)
            if record is not None and record.app:
                return record.app
        return ""
