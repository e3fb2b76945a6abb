"""What a dialog asks: question, choices, the one that Enter takes, and the kind of answer wanted.

Read off the dialog's region where a pack knows it, else off the rows at the bottom of the screen,
by shape: choices stand one below the other with a pointer at one of them, the question above. No
agent is named. Texts are the screen's, untrusted. Cost: O(rows of the dialog).
"""

import re
from collections.abc import Callable, Sequence

from .choice_cues import open_menu
from .reports import Report
from .secret_rows import WITHHELD, BlockMask
from .segment import Layout
from .state import Blocked

# Rows at the bottom of the screen among which an unknown dialog stands.
_ROWS = 24
_TEXT_LIMIT = 500  # characters of a question or a choice
_SUBJECT_LIMIT = 2000  # characters of what is asked about
_ROWS_ABOVE = 10  # rows above a dialog that is no more than its question
_CHOICES_LIMIT = 20

_BORDER = "│┃|║╭╮╰╯┌┐└┘─━═▔▁▀▄╌┈╹╻ "
_CHOICE = re.compile(
    r"^(?P<indent>\s*)(?P<pointer>[❯›▸▶►‣→➜»>](?=[\s\d●○◉◯◦\[(]))?\s*"
    r"(?:(?P<radio>[●○◉◯◦])\s*)?(?:[\[(]?(?P<number>\d{1,2})[\]).:]\s+)?(?P<label>\S.*)$"
)
_KEYS = re.compile(
    r"(?i)\b(?:enter|return|esc(?:ape)?|tab|space|ctrl[+-]\w|shift[+-]tab)\b\W{0,3}"
    r"(?:to |again |confirm|select|cancel|exit|close|submit|navigate|dismiss|reject)"
    r"|↑ ?/?↓|↵ |\bto navigate\b"
)
_RESETS = re.compile(
    r"(?i)\b(?:resets?|try again|available again|continue)\s+(?:at|on|in|after)?\s*"
    r"(?P<when>[^.·|│]{2,40}?(?:\([\w/+ -]{2,30}\))?)(?=$|[.·|│])"
)
_LIMIT = re.compile(
    r"(?i)\b(?:usage|rate|spend(?:ing)?|session|weekly|5-hour)[ -]limit\b|\blimit reached\b"
)
_TRUST = re.compile(r"(?i)\btrust\b")
_LOGIN = re.compile(
    r"(?i)\b(?:log|sign) ?-?in\b|\blogin method\b|\bauthenticat|\bcustom api key\b|\bOAuth\b"
)
_PLAN = re.compile(r"(?i)\bplan\b")
_PERMISSION = re.compile(
    r"(?i)\b(?:do you want to|would you like to (?:run|make|apply|allow|grant|proceed|execute|edit)"
    r"|allow\b|approve|permission|proceed|invoke|confirm)|^\W*(?:run|write|apply|execute|edit) th(?:is|ese)\b"
)
# A question, and behind it at most what may be typed: `[y/N]`, `(Y)es/(N)o [Yes]:`.
_ASKED = re.compile(r"[?\uff1f\u061f\u037e]\s*(?P<typed>[\[(][^?]{1,60})?:?$")
_TYPED = re.compile(r"\(?([A-Za-z])\)?([a-z' ]*)(?=[/\])\s:]|$)")
_GLYPHS = re.compile(r"^[^\w\s\"'`$(\[~./-]+\s+")
_YES = re.compile(r"(?i)^(?:yes|allow|approve|accept|no\b|reject|deny|proceed|run)\b")


def describe(
    layout: Layout | None,
    report: Report | None,
    *,
    mask: BlockMask | None = None,
    columns: int = 0,
    wrapped: Sequence[bool] = (),
) -> Blocked:
    """Return what is asked on a blocked screen, and in the agent's own report if there is one.

    With a `mask` secrets are masked in the rows (`columns` wide, `wrapped` or not) before any two
    of them are joined, and in the report.
    """
    framed, above, rows = _rows(layout, mask, columns, wrapped)
    message = report.message if report is not None else ""
    if mask is not None and message:
        message = mask.redact(message)
    choices, first, default = _choices(rows)
    question = _question(rows[:first] if choices else rows, title=framed)
    if report is not None and not choices and not framed:
        # Some agents report before they draw: what is on the screen is not the question.
        question = message
    question = _GLYPHS.sub("", question or message)
    if not choices and (asked := _ASKED.search(question)) is not None and asked["typed"]:
        typed = _TYPED.findall(asked["typed"].strip("[]:"))
        choices = list(dict.fromkeys(first + rest for first, rest in typed))
        default = next((one for one in choices if one.isupper()), None)
    title = next(filter(None, rows), "").strip(_BORDER) if choices else ""
    kind = _kind(report, question, choices, f"{title}\n{question}")
    if layout is not None and not choices and not framed and open_menu(layout) is not None:
        kind = "menu"
    said = [*rows, message] if kind == "limit" else []
    resets = next(filter(None, map(_RESETS.search, said)), None)

    def clean(said: str) -> str:
        return (said if mask is None else mask.redact(mask.labels(said)))[:_TEXT_LIMIT]

    return Blocked(
        kind,
        clean(question),
        tuple(clean(choice) for choice in choices[:_CHOICES_LIMIT]),
        None if default is None else clean(default),
        None if resets is None else clean(resets["when"].strip()),
        _subject(above, rows[:first], clean) if choices or framed else "",
    )


def framed_rows(layout: Layout | None, wrapped: Sequence[bool]) -> tuple[object, ...] | None:
    """All of the screen that `describe` reads of a dialog that a rule knows, to be compared.

    None where no rule knows one: then it reads more.
    """
    regions = [] if layout is None else [one for one in layout.regions if one.name == "dialog"]
    if layout is None or not regions:
        return None
    top, bottom = regions[-1].top, regions[-1].bottom
    first = max(0, top - _ROWS_ABOVE)
    rows = tuple(layout.rows[first:bottom]), tuple(wrapped[first:bottom])
    return *rows, top - first, first == 0  # the last decides how they are masked


def _subject(above: list[str], rows: list[str], clean: Callable[[str], str]) -> str:
    """Return the rows above the choices; where those are a question alone, some above it, too."""
    lines = [row.strip(_BORDER) for row in rows if row and not _KEYS.search(row)]
    if len(lines) < 2:
        lines = [row.strip(_BORDER) for row in above if row] + lines
    return "\n".join(map(clean, lines))[-_SUBJECT_LIMIT:]


def _rows(
    layout: Layout | None, mask: BlockMask | None, columns: int, wrapped: Sequence[bool]
) -> tuple[bool, list[str], list[str]]:
    """Return whether a rule knows the dialog, some rows above it, and its rows, without borders.

    Where no rule knows it, its rows are the last ones of the screen.
    """
    if layout is None:
        return False, [], []
    regions = [region for region in layout.regions if region.name == "dialog"]
    bottom = len(layout.rows)
    while bottom and not layout.rows[bottom - 1]:
        bottom -= 1
    top = max(0, bottom - _ROWS)
    if regions:
        top, bottom = regions[-1].top, regions[-1].bottom
    first = max(0, top - _ROWS_ABOVE) if regions else top
    rows = list(layout.rows[first:bottom])
    if mask is not None and rows:
        try:
            rows = mask.mask_block(
                rows, columns, list(wrapped[first:bottom]) or None, cut_above=first == 0
            )
        except Exception:  # whatever it was: what nobody has judged is not to be shown
            return bool(regions), [], [WITHHELD]
    rows = [_inside(row) for row in rows]
    return bool(regions), rows[: top - first], rows[top - first :]


def _inside(row: str) -> str:
    """Return a row without the border of a box; blank where it is nothing but border."""
    bare = row.strip()
    if bare[:1] in "│┃|║" and bare:
        row = bare[1:].rstrip("│┃|║ ")
    return "" if not row.strip(_BORDER) else row.rstrip()


def _choices(rows: list[str]) -> tuple[list[str], int, str | None]:
    """Return the labels of the lowest list with a pointer, the index of its row, and its default."""
    matches = [None if _KEYS.search(row) else _CHOICE.match(row) for row in rows]
    pointers = [index for index, match in enumerate(matches) if match and _is_pointed_at(match)]
    for pointer in reversed(pointers):
        chosen = matches[pointer]
        if chosen is None:
            continue
        column, shape = chosen.start("label"), _shape(chosen)
        labels = {pointer: chosen["label"]}
        for step in (-1, 1):
            index, gap = pointer + step, 0
            while 0 <= index < len(rows) and gap < 2:
                match = matches[index]
                if (
                    match is not None
                    and match["pointer"] is None
                    and _shape(match) == shape
                    and (shape or match.start("label") == column)
                ):
                    labels[index], gap = match["label"], 0
                else:
                    # A description, or the rest of a label, stands further in; blanks may part.
                    indent = len(rows[index]) - len(rows[index].lstrip())
                    gap += 1 if not rows[index] else 0 if indent >= column else 2
                index += step
        if len(labels) > 1:
            order = sorted(labels)
            return [_label(labels[index]) for index in order], order[0], _label(chosen["label"])
    return [], len(rows), None


def _is_pointed_at(choice: re.Match[str]) -> bool:
    """Whether the pointer stands at a choice; a filled button before a number is one, too."""
    return choice["pointer"] is not None or (
        choice["number"] is not None and choice["radio"] in ("●", "◉")
    )


def _shape(choice: re.Match[str]) -> str:
    """Return how a list's entries are marked, which is the same for all of them."""
    return "number" if choice["number"] else "radio" if choice["radio"] else ""


def _label(text: str) -> str:
    """Return a label without what stands in a column of its own behind it."""
    return re.split(r"\s{2,}|\t", text.strip())[0].strip()


def _question(rows: list[str], *, title: bool) -> str:
    """Return the last row that asks, with the row it goes on from.

    Where none does: the first paragraph of a dialog (`title`), else the one right above its choices.
    """
    paragraphs: list[list[str]] = [[]]
    for row in rows:
        if row and not _KEYS.search(row):
            paragraphs[-1].append(row.strip(_BORDER))
        elif paragraphs[-1]:
            paragraphs.append([])
    texts = [paragraph for paragraph in paragraphs if paragraph]
    asking = [
        (paragraph, index)
        for paragraph in texts
        for index, row in enumerate(paragraph)
        if _ASKED.search(row)
    ]
    if not asking:
        return " ".join(texts[0 if title else -1]) if texts else ""
    usual = [
        (paragraph, index)
        for paragraph, index in asking
        if any(words.search(paragraph[index]) for words in (_PERMISSION, _TRUST, _PLAN))
    ]
    paragraph, last = (usual or asking)[-1]
    first = last
    while first and not paragraph[first][:1].isupper() and paragraph[first - 1][-1] not in ".!?:)":
        first -= 1
    return " ".join(paragraph[first : last + 1])


def _kind(report: Report | None, question: str, choices: list[str], said: str) -> str:
    """Return what kind of answer is wanted; a report's word goes first where it is specific.

    `said` is the title and the question: what stands between may be any command or text.
    """
    reported = report.kind if report is not None else ""
    if reported == "auth":
        return "login"
    if reported == "question":
        return "question"
    if _TRUST.search(question) and (reported or choices):
        return "trust"
    if _LIMIT.search(said):
        return "limit"
    if _PLAN.search(question):
        return "plan"
    if reported == "permission":
        return "permission"
    if _LOGIN.search(said):
        return "login"
    if _TRUST.search(said) and any(_YES.search(choice) for choice in choices):
        return "trust"
    if _PERMISSION.search(question) or (choices and all(map(_YES.search, choices))):
        return "permission"
    return "menu" if choices and "?" not in question else "question"
