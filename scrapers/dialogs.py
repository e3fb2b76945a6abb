"""What a dialog asks: question, choices, the one that Enter takes, and the kind of answer wanted.

Read off the dialog's region where a pack knows it, else off the rows at the bottom of the screen,
by shape: the question is above the choices (see choices.py). No agent is named. Texts are the
screen's, untrusted. Cost: O(rows of the dialog).
"""

import re
from collections.abc import Callable, Sequence

from dejavu.redact.random_runs import is_words
from dejavu.screen import Snapshot

from .choice_cues import chooses_by_keys, has_input, is_last, offers_choices, open_menu
from .choices import BORDER, Choices, is_hint, read_choices
from .highlights import Looks, look_of
from .reports import Report
from .secret_rows import WITHHELD, BlockMask
from .segment import Layout
from .state import Blocked

# Rows at the bottom of the screen among which an unknown dialog is.
_ROWS = 24
_TEXT_LIMIT = 500  # characters of a question or a choice
_SUBJECT_LIMIT = 2000  # characters of what is asked about
_ROWS_ABOVE = 10  # rows above a dialog that is no more than its question
# Rows on either side, without a blank one between, that may hold the rest of a secret.
_KNOWN = 12  # characters of a label by which its row is found again
_CONTEXT = 64
_CHOICES_LIMIT = 20

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
# The end of what asks for a text: a bare prompt, or the question itself.
_FIELD = re.compile(r"^[\s│┃|]*[>❯›»:]?\s*[█▌▏_]?\s*$|[?:\uff1f\u061f\u037e]\s*[█▌▏_]?$")
# A row below choices that asks for words: the choice that is pointed at takes some.
_TYPES = re.compile(r"(?i)^\W*type (?:your |an? |some )?\w+ *[·•|,] *(?:↵|enter|return)")
_GLYPHS = re.compile(r"^[^\w\s\"'`$(\[~./-]+\s+")
# What is hidden as the rest of a secret that begins elsewhere: it has no label.
_REST = re.compile("(?<![\U000f0000-\U0010ffff])\U00100000+")
_HIDDEN = re.compile("[\U000f0000-\U0010ffff]+")
_EDGE = re.compile("[^A-Za-z0-9]*")
# Words that dialogs are made of. None of them is worth hiding where a dialog asks or offers.
_SAID = frozenset((
    "a", "again", "agent", "all", "allow", "always", "and", "any", "apply", "approve", "ask", "bash",
    "be", "cancel", "command", "commands", "confirm", "continue", "deny", "different", "differently",
    "do", "does", "don't", "edit", "enter", "esc", "execute", "file", "files", "folder", "for", "from",
    "in", "is", "it", "like", "make", "no", "not", "of", "on", "once", "or", "permission", "proceed",
    "reject", "run", "session", "skip", "stop", "tell", "that", "the", "these", "this", "to", "trust",
    "use", "want", "what", "with", "would", "write", "yes", "you", "your",
))  # fmt: skip
_YES = re.compile(r"(?i)^(?:yes|allow|approve|accept|no\b|reject|deny|proceed|run)\b")


def describe(
    layout: Layout | None,
    report: Report | None,
    *,
    mask: BlockMask | None = None,
    columns: int = 0,
    wrapped: Sequence[bool] = (),
    is_drawn: bool | None = None,
    shown: Snapshot | None = None,
) -> Blocked:
    """Return what is asked on a blocked screen, and in the agent's own report if there is one.

    With a `mask` secrets are masked in the rows (`columns` wide, `wrapped` or not) before any two
    of them are joined, and in the report. is_drawn: whether the screen itself reads as a dialog;
    by default it does unless the agent reports one. Where it does not and no rule knows a dialog
    there, what the screen shows is something else: there are no choices. shown: the screen that
    the layout is of, for its styles: a pointer may be a colour alone.
    """
    framed, above, rows, top = _rows(layout, mask, columns, wrapped)
    if not framed and not (report is None if is_drawn is None else is_drawn):
        above, rows = [], []
    message = report.message if report is not None else ""
    if mask is not None and message:
        message = mask.redact(message)
    read = _read(layout, rows, top, columns, wrapped, shown)
    if read is None or not (framed or _are_last(read, rows)):
        read = Choices((), len(rows))
    choices, keys, first, default = list(read.labels), read.keys, read.first, read.default
    question = _question(rows[:first] if choices else rows, title=framed)
    if report is not None and not choices and not framed:
        # Some agents report before they draw: what is on the screen is not the question.
        question = message
    question = _GLYPHS.sub("", question or message)
    title = next(filter(None, rows), "").strip(BORDER) if choices else ""
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
        tuple(keys[:_CHOICES_LIMIT]),
        layout is not None and _asks_for_words(layout, top + first)
        if choices
        else kind == "question" and _takes_text(layout, rows),
        read.across,
        read.number,
        read.more,
    )


def _read(
    layout: Layout | None,
    rows: Sequence[str],
    top: int,
    columns: int,
    wrapped: Sequence[bool],
    shown: Snapshot | None,
) -> Choices | None:
    """Return the choices on rows of the screen, the first of which is row `top`."""
    if layout is None:
        return None
    edge = columns or max(map(len, layout.rows), default=0)

    def look(row: int, text: str) -> Looks | None:
        at = top + row
        is_shown = shown is not None and at < shown.lines
        if shown is None or not is_shown or shown.rows[at].rstrip() != layout.rows[at]:
            return None
        return look_of(shown, at, text)

    goes_on = wrapped[top : top + len(rows)]
    return read_choices(rows, look=look if shown else None, columns=edge, wrapped=goes_on)


def _are_last(read: Choices, rows: Sequence[str]) -> bool:
    """Whether nothing but hints, and what belongs to the last of them, is below choices.

    Where no rule knows a dialog what is higher up was said or quoted.
    """
    label = read.labels[-1][:_KNOWN]
    places = [at for at in range(read.first, len(rows)) if label in rows[at]]
    at = places[-1] if places else min(read.first + len(read.labels), len(rows)) - 1
    column = rows[at].find(label)
    below = list(rows[at + 1 :])
    while below and (not below[0] or 0 < column <= len(below[0]) - len(below[0].lstrip())):
        del below[0]
    return is_last(below)


def key_hints(rows: Sequence[str]) -> list[str]:
    """Return the rows that name keys, without borders: what a person reads how to answer from."""
    bare = [row.strip(BORDER) for row in rows]
    named = [row for row in bare if is_hint(row) or chooses_by_keys(row)]
    return [" ".join(row.split()) for row in named]


def _asks_for_words(layout: Layout, top: int) -> bool:
    """Whether a row from `top` on asks for words next to choices."""
    return any(map(_TYPES.match, layout.rows[top : top + _ROWS]))


def _takes_text(layout: Layout | None, rows: Sequence[str]) -> bool:
    """Whether a question is answered in a text field: there is one, and nothing to choose from."""
    if layout is None or not rows or offers_choices(rows):
        return False
    last = next((row for row in reversed(rows) if row and not is_hint(row)), "")
    return has_input(layout) or _FIELD.search(last) is not None


def framed_rows(
    layout: Layout | None, wrapped: Sequence[bool], shown: Snapshot | None = None
) -> tuple[object, ...] | None:
    """All of the screen that `describe` reads of a dialog that a rule knows, to be compared.

    None where no rule knows one: then it reads more.
    """
    regions = [] if layout is None else [one for one in layout.regions if one.name == "dialog"]
    if layout is None or not regions:
        return None
    top, bottom = regions[-1].top, regions[-1].bottom
    first, end = _context(layout.rows, max(0, top - _ROWS_ABOVE), bottom)
    rows = tuple(layout.rows[first:end]), tuple(wrapped[first:end])
    styles = () if shown is None else tuple(map(shown.row_styles, range(top, bottom)))
    # The last two decide how they are masked, and whether a text is asked for.
    takes_text = has_input(layout), _asks_for_words(layout, top)
    return *rows, styles, top - first, bottom - first, first == 0, *takes_text


def _context(rows: Sequence[str], first: int, end: int) -> tuple[int, int]:
    """Return where the paragraphs begin and end that rows `first` to `end` are cut out of."""
    top, bottom = max(0, first - _CONTEXT), min(len(rows), end + _CONTEXT)
    while first > top and rows[first - 1]:
        first -= 1
    while end < bottom and rows[end]:
        end += 1
    return first, end


def _subject(above: list[str], rows: list[str], clean: Callable[[str], str]) -> str:
    """Return the rows above the choices; where those are a question alone, some above it, too."""
    lines = [row.strip(BORDER) for row in rows if row and not is_hint(row)]
    if len(lines) < 2:
        lines = [row.strip(BORDER) for row in above if row] + lines
    return "\n".join(map(clean, lines))[-_SUBJECT_LIMIT:]


def _rows(
    layout: Layout | None, mask: BlockMask | None, columns: int, wrapped: Sequence[bool]
) -> tuple[bool, list[str], list[str], int]:
    """Return whether a rule knows the dialog, some rows above it, and its rows, without borders.

    The last is where on the screen its rows begin.

    Where no rule knows it, its rows are the last ones of the screen.
    """
    if layout is None:
        return False, [], [], 0
    regions = [region for region in layout.regions if region.name == "dialog"]
    bottom = len(layout.rows)
    while bottom and not layout.rows[bottom - 1]:
        bottom -= 1
    top = max(0, bottom - _ROWS)
    if regions:
        top, bottom = regions[-1].top, regions[-1].bottom
    shown = max(0, top - _ROWS_ABOVE) if regions else top
    first, end = _context(layout.rows, shown, bottom)
    rows = list(layout.rows[first:end])
    if mask is not None and rows:
        try:
            masked = mask.mask_block(
                rows, columns, list(wrapped[first:end]) or None, cut_above=first == 0
            )
            asks = _asks_from(rows)
            rows = [
                _shown(row, hidden, asks=at >= asks)
                for at, (row, hidden) in enumerate(zip(rows, masked, strict=True))
            ]
        except Exception:  # whatever it was: what no one has judged is not to be shown
            return bool(regions), [], [WITHHELD], top
    rows = [_inside(row) for row in rows]
    return bool(regions), rows[shown - first : top - first], rows[top - first : bottom - first], top


def _asks_from(rows: Sequence[str]) -> int:
    """Return the last row that asks, as it is drawn; the number of rows if none does."""
    asking = (at for at in reversed(range(len(rows))) if _ASKED.search(rows[at].strip(BORDER)))
    return next(asking, len(rows))


def _is_said(text: str) -> bool:
    """Whether a text is made of the words of dialogs only."""
    bare = [word.strip(f",.?!:;(){BORDER}").lower() for word in text.split()]
    return any(bare) and all(not word or word in _SAID for word in bare)


def _shown(row: str, masked: str, *, asks: bool) -> str:
    """Return a masked row in which nothing is hidden unseen that may be another command.

    What looks like the rest of a secret from the row above stays if it is words, and is named if
    not. asks: the row belongs to the question or the choices, whose own words stay. So do borders,
    and rows of such words only: titles.
    """
    if not row.strip(BORDER):
        return row
    asks = asks or _is_said(row)

    def said(hidden: re.Match[str]) -> str:
        words = row[hidden.start() : hidden.end()]
        return words if asks and _is_said(words) else hidden[0]

    def rest(hidden: re.Match[str]) -> str:
        word = row[hidden.start() : hidden.end()]
        begins = _EDGE.fullmatch(row[: hidden.start()]) is not None
        return word if begins and is_words(word) else "[redacted]"

    shown = _HIDDEN.sub(said, masked) if len(masked) == len(row) else masked
    return _REST.sub(rest, shown)


def _inside(row: str) -> str:
    """Return a row without the border of a box; blank where it is nothing but border."""
    bare = row.strip()
    if bare[:1] in "│┃|║" and bare:
        row = bare[1:].rstrip("│┃|║ ")
    return "" if not row.strip(BORDER) else row.rstrip()


def _question(rows: list[str], *, title: bool) -> str:
    """Return the last row that asks, with the row it continues from.

    Where none does: the first paragraph of a dialog (`title`), else the one right above its choices.
    """
    paragraphs: list[list[str]] = [[]]
    for row in rows:
        if row and not is_hint(row):
            paragraphs[-1].append(row.strip(BORDER))
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

    `said` is the title and the question: what is between may be any command or text.
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
