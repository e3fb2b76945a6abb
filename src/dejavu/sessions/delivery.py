"""Send text to an agent, with a receipt that says how far it came.

Three things are seen to happen, or the one that did not is named: the text is in the agent's
text field (`typed`), it has left that field by Enter (`submitted`), and the agent took it
(`accepted`): its state, its screen or its session file says so. A draft that a person is typing is
never added to, and Enter follows only where the field holds this text alone. Where no field is seen,
a text that is not seen either is taken out again, so that no other text is added to it. Costs a few
looks at the session's screen, bounded in time; what may be typed when is `send_input`'s to judge.
"""

import time
from typing import NamedTuple

from dejavu.capsule.control import send
from dejavu.model import NotFoundError, RulePackError

from . import send_input
from .dialog_pointer import until
from .field_text import FieldText, Sight, squeeze
from .send_input import InputRefusedError
from .session_store import SessionView, load, touch

__all__ = ["NotAcceptedError", "Receipt", "deliver", "receipt_of"]

_AGAIN = 0.05  # seconds between two looks ...
_PATIENT = 0.25  # ... and while a draft or a turn is waited for
_TYPED = 10.0  # seconds in which a text must be seen in the field, if the agent is slow
_TAKEN = 20.0  # seconds in which the agent must show that it took the text
_FORCED = 2.0  # the same where a text was forced upon it
_STILL = (
    0.25  # seconds for which a draft must stand, or no field be seen: frames may be drawn by half
)
_PART = 4  # letters of a text that a field still holds where it is read, or emptied, in part
_MORE = 2  # times that Enter is pressed again where the field took it for a line break
_BACKSPACE = b"\x7f"
_SHOWN = 60  # characters of a draft in a message
_READY = frozenset({"idle", "done", "error"})


class Receipt(NamedTuple):
    """How far a text came. `reason`: why no further; `by`: what says that it was accepted.

    `by` is `state`, `screen` or `file`, and empty where it was not accepted.
    """

    typed: bool
    submitted: bool
    accepted: bool
    reason: str = ""
    by: str = ""


class NotAcceptedError(InputRefusedError):
    """A text or an answer did not arrive, or not for certain; `receipt` says how far it came."""

    def __init__(self, message: str, receipt: Receipt) -> None:
        super().__init__(message)
        self.receipt = receipt


def receipt_of(error: InputRefusedError) -> Receipt:
    """How far what was refused came: not at all, where nothing else is said."""
    if isinstance(error, NotAcceptedError):
        return error.receipt
    return Receipt(False, False, False, str(error))


def deliver(
    view: SessionView,
    text: str,
    *,
    enter: bool = True,
    force: bool = False,
    wait: bool = False,
    queue: bool = False,
    timeout: float | None = None,
) -> Receipt:
    """Type `text` into the session's text field, press Enter, and see it taken.

    An empty text is Enter alone. force: type whatever is asked and whatever the field holds, and do
    not insist on a receipt. wait: for a draft or a dialog to go. queue: for the agent's turn to
    end. timeout: seconds for either.

    Raises:
        NotAcceptedError: one of the three did not happen.
        InvalidValueError: the text cannot be typed.
        NotFoundError: the session has ended, or takes no input.
        CaptureError: the session does not answer.
    """
    if not view.live:
        raise NotFoundError(f"{view.label} {view.end}; `dejavu status` shows what runs")
    end = time.monotonic() + (float("inf") if timeout is None else timeout)
    receipt = _Delivery(view, text, force).run(enter, wait, queue, end)
    if not (receipt.accepted or (receipt.typed and (force or not enter))):
        raise NotAcceptedError(f"{view.label}: {receipt.reason}", receipt)
    return receipt


class _Delivery:
    """One text on its way."""

    def __init__(self, view: SessionView, text: str, force: bool) -> None:
        self._view, self._text, self._force = view, text, force
        self._field = FieldText(view.folder, text)

    def run(self, enter: bool, wait: bool, queue: bool, end: float) -> Receipt:
        if refusal := self._not_free(wait, queue, end):
            return Receipt(False, False, False, refusal)
        before = self._field.look()
        try:
            if self._text and (problem := self._type(before)):
                return Receipt(False, False, False, problem)
            touch(self._view.folder, "seen")
            return self._submit(before) if enter else Receipt(True, False, False)
        except OSError as error:
            raise send_input.unreachable(self._view, error) from error

    # -- before anything is typed

    def _not_free(self, wait: bool, queue: bool, end: float) -> str:
        """Why nothing may be typed, once it was waited for; empty where it may."""
        while True:
            view = load(self._view.folder)
            if view is None or not view.live:
                raise NotFoundError(f"{self._view.label} has ended")
            self._view = view
            works = queue and (view.state not in _READY or _is_busy(view, time.time()))
            reason = "its turn is not over" if works else self._occupied(view)
            if not reason or not (wait or works) or time.monotonic() >= end:
                return reason
            time.sleep(_PATIENT)

    def _occupied(self, view: SessionView) -> str:
        """Who has the text field: a dialog, or a person's draft; empty where it is free."""
        if self._force:
            return ""
        try:
            send_input.refuse_asking(view)
        except InputRefusedError as error:
            return str(error).removeprefix(view.label).lstrip(": ")
        draft = self._standing_draft() if self._text else ""
        if not draft:
            return ""
        return f"its text field holds a draft ({draft[:_SHOWN]!r}); --wait waits until it is gone"

    def _standing_draft(self) -> str:
        """What is in the field for longer than a frame that is drawn by half."""
        if not self._field.look().text:
            return ""
        time.sleep(_STILL)
        return self._field.look().text

    # -- typing

    def _type(self, before: Sight) -> str:
        """Type the text; why it did not arrive as it is, empty where it did."""
        bracketed = self._view.status.bracketed_paste and self._view.state != "blocked"
        keys = send_input.pasted(self._text, bracketed=bracketed)
        if not bracketed and "\n" in self._text.strip("\n") and not self._force:
            return "it takes no bracketed pastes, so each line break would submit a part"
        send_input.type_keys(self._view, keys)
        if self._force:
            time.sleep(send_input.SETTLE)
            return ""
        if until(lambda: self._stands(before, self._field.look()), _TYPED):
            return ""
        now = self._field.look()
        if self._field.holds_more(now):
            return f"its text field holds more than the text ({now.text[:_SHOWN]!r}); Enter was not pressed"
        if before.is_seen or now.is_seen:
            return "the text was not seen in its text field; Enter was not pressed"
        self._take_back()
        return (
            "the text was not seen on its screen, so it was taken out again by Backspace; "
            "--force types it and presses Enter all the same"
        )

    def _take_back(self) -> None:
        """Press Backspace for each character: the next text must not be added to this one."""
        count = len(self._text.replace("\r\n", "\n"))
        send_input.type_keys(self._view, _BACKSPACE * count)

    def _stands(self, before: Sight, now: Sight) -> bool:
        """Whether the text is where it belongs; anywhere new, where no field is seen."""
        if before.is_seen or now.is_seen:
            return self._field.holds(now)
        return self._field.is_typed_behind(before, now) or (
            self._field.count(now) > self._field.count(before)
        )

    # -- Enter, and what comes of it

    def _submit(self, before: Sight) -> Receipt:
        again = load(self._view.folder)
        uptake = _Uptake(self._field, before)
        if (again is not None) and (problem := self._changed(again, before, uptake.stood)):
            if not (before.is_seen or uptake.stood.is_seen or again.state == "blocked"):
                self._take_back()
                return Receipt(False, False, False, f"{problem}, and the text was taken out again")
            return Receipt(True, False, False, problem)
        self._press_enter()
        end, more = time.monotonic() + (_FORCED if self._force else _TAKEN), _MORE
        while not (by := uptake.seen()) and not uptake.is_over and time.monotonic() < end:
            if more and uptake.took_line_break:
                more -= 1
                uptake.stood = self._field.look()
                self._press_enter()
            time.sleep(_AGAIN)
        if by:
            return Receipt(True, True, True, by=by)
        return Receipt(True, uptake.has_left, False, uptake.reason)

    def _changed(self, view: SessionView, before: Sight, now: Sight) -> str:
        """Why Enter would not submit this text any more; empty where it would."""
        if self._force:
            return ""
        if view.state == "blocked":
            return "it began to ask something: the text is typed, not entered"
        is_unchanged = (
            self._stands(before, now) if self._text else now.is_seen or not before.is_seen
        )
        return "" if is_unchanged else "its screen changed before Enter, so Enter was not pressed"

    def _press_enter(self) -> None:
        touch(self._view.folder, "sent")
        send(self._view.folder / "control", b"\r")


class _Uptake:
    """What shows that an agent took a text: made right before Enter, asked again and again."""

    def __init__(self, field: FieldText, before: Sight) -> None:
        self._field, self._before, self.stood = field, before, field.look()
        self._view, self._at = load(field.folder), time.time()
        self.has_left = self.took_line_break = self.is_over = False
        self._hidden_at: float | None = None
        self._is_busy = self._view is not None and _is_busy(self._view, self._at)
        self._is_line = not self.stood.is_seen and not _has_rules(self._view)

    @property
    def reason(self) -> str:
        """Why it does not count as accepted."""
        if self.is_over:
            return "the agent ended"
        if not self.has_left:
            return "Enter was pressed, and the text seems to be still in its field"
        return "the text left its field, and nothing shows that the agent took it"

    def seen(self) -> str:
        """What says that the agent took it: file, state or screen; empty where nothing does yet."""
        view, now = load(self._field.folder), self._field.look()
        if view is None or not view.live:
            self.is_over = True
            return "state" if self._field.is_command else ""
        if self._is_in_file(view):
            return "file"
        if self._is_line and now.around and now.is_past(self.stood):
            return "screen"
        self._compare(now)
        if self.has_left and self._works(view):
            return "state"
        if self._field.is_command and (self.has_left or view.status.since >= self._at):
            return "screen"
        count = self._field.count
        if (self.has_left or self._is_hidden(now)) and (
            count(now, self.stood.text) > count(self._before, self.stood.text)
        ):
            return "screen"
        return "screen" if self.has_left and self._queued(view) else ""

    def _works(self, view: SessionView) -> bool:
        """Whether it has begun to work since, or has done so already; not for an earlier text."""
        since, finished = view.status.since, view.status.finished_at
        if self._is_busy:
            return view.state == "working" and self._at <= finished <= since
        return finished >= self._at or (view.state in ("working", "error") and since >= self._at)

    def _compare(self, now: Sight) -> None:
        """Whether the text has left its field, or the field took Enter for a line break."""
        if not self.stood.is_seen:
            self.has_left = True  # there is no field to leave
            return
        if not now.is_seen:
            return
        stood, left = squeeze(self.stood.text), squeeze(now.text)
        holds = left == stood and bool(left)
        is_part = len(left) >= _PART and (stood.startswith(left) or stood.endswith(left))
        self.has_left = not (holds or is_part)
        self.took_line_break = holds and now.cursor_row > self.stood.cursor_row

    def _is_hidden(self, now: Sight) -> bool:
        """Whether there is no field any more, for longer than a frame that is drawn by half."""
        if now.is_seen:
            self._hidden_at = None
            return False
        if self._hidden_at is None:
            self._hidden_at = time.monotonic()
        return time.monotonic() - self._hidden_at >= _STILL

    def _is_in_file(self, view: SessionView) -> bool:
        """Whether the agent's session file has the text as a prompt that it had not before."""
        facts, known = view.status.facts or {}, (self._view and self._view.status.facts) or {}
        is_new = (facts.get("turns"), facts.get("last_prompt")) != (
            known.get("turns"),
            known.get("last_prompt"),
        )
        return is_new and self._field.is_prompt(str(facts.get("last_prompt") or ""))

    def _queued(self, view: SessionView) -> bool:
        """Whether more inputs wait for their turn than before."""
        was = self._view.status.pending if self._view is not None else ()
        return _queue(view.status.pending) > _queue(was)


def _has_rules(view: SessionView | None) -> bool:
    """Whether rules know the screens of the session's program."""
    from .user_packs import operator_packs  # only here: it costs a tenth of a second

    try:
        return view is not None and view.session.agent in operator_packs()
    except RulePackError:
        return True


def _is_busy(view: SessionView, now: float) -> bool:
    """Whether an earlier text is at work, or was sent just now and has not shown yet."""
    known = max(view.status.since, view.status.finished_at)
    return view.state == "working" or (known < view.sent_at and now < view.sent_at + _TAKEN)


def _queue(pending: tuple[dict[str, object], ...]) -> int:
    return sum(int(str(entry["count"])) for entry in pending if entry["kind"] == "queued")
