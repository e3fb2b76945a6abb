import pytest

from dejavu.scrapers import Pending, State, report_of
from dejavu.scrapers.reports import Hints, Report, report_of_agent
from dejavu.screen import AgentStatus, Bell, Event, Notification, ProgramStatus, Progress, Title


def root(state: str, message: str = "", kind: str = "") -> ProgramStatus:
    return ProgramStatus(state, kind=kind, app="a", message=message)


def child(name: str, state: str, title: str = "") -> ProgramStatus:
    return ProgramStatus(state, name, title=title)


def test_no_records_say_nothing():
    assert report_of(()) is None


@pytest.mark.parametrize(
    ("told", "state"),
    [("idle", "idle"), ("done", "idle"), ("working", "working"), ("error", "error")],
)
def test_a_root_record_says_the_state_and_its_words(told: str, state: str):
    report = report_of((root(told, "Reading a.py"),))
    assert report == Report("program-status", State(state), "", "Reading a.py")


def test_a_root_that_is_done_while_children_work_is_idle_with_them_pending():
    report = report_of((root("done"), child("a", "working", "Shell: make"), child("b", "done")))
    assert report is not None
    assert (report.state, report.pending) == (
        State.IDLE, (Pending("shell", 1, ("Shell: make",)),),
    )  # fmt: skip


def test_one_shell_still_running_is_idle_with_a_shell():
    records = (root("working", "1 shell still running"), child("x7", "working", "Sleep a while"))
    report = report_of(records)
    assert report is not None
    assert (report.state, report.pending) == (
        State.IDLE, (Pending("shell", 1, ("Sleep a while",)),),
    )  # fmt: skip


def test_work_that_says_what_it_does_beside_a_shell_is_work():
    report = report_of((root("working", "Reading why 1 shell is still running"),))
    assert report is not None
    assert report.state is State.WORKING


def test_whoever_asks_a_person_decides():
    report = report_of((root("working"), child("agent", "blocked", "x"), child("b", "working")))
    assert report is not None
    assert (report.state, report.kind) == (State.BLOCKED, "")
    assert report.pending == (Pending("task", 1, ("b",)),)
    both = report_of((root("blocked", "approve", "permission"), child("b", "blocked")))
    assert both is not None
    assert (both.kind, both.message) == ("permission", "approve")


@pytest.mark.parametrize(
    ("states", "state"),
    [("idle done", "idle"), ("done working", "working"), ("error idle", "error")],
)
def test_children_without_a_root(states: str, state: str):
    report = report_of(tuple(child(f"c{n}", one) for n, one in enumerate(states.split())))
    assert report is not None
    assert report.state is State(state)


def test_the_other_proposal_is_understood_and_unknown_words_are_none():
    asking = report_of_agent(AgentStatus("awaiting-approval", detail="rm -rf build"))
    assert asking == Report("agent-status", State.BLOCKED, "permission", "rm -rf build")
    assert report_of_agent(AgentStatus("pondering")) is None


@pytest.mark.parametrize(
    ("word", "state", "kind"),
    [
        ("working", State.WORKING, ""),
        ("done", State.IDLE, ""),
        ("blocked", State.BLOCKED, "permission"),
        ("waiting", State.BLOCKED, "question"),
    ],
)
def test_words_of_the_json_status(word: str, state: State, kind: str):
    report = report_of_agent(AgentStatus(word, "x"))
    assert report is not None
    assert (report.state, report.kind) == (state, kind)


def said(*events: Event, at: float = 1.0) -> tuple[str, State] | None:
    hints = Hints()
    for event in events:
        hints.take(event, 1.0)
    hint = hints.best(at)
    return None if hint is None else (hint.source, hint.state)


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([Notification("Approval requested: edit a.py")], ("notification", State.BLOCKED)),
        ([Notification("Claude is waiting for your input")], ("notification", State.BLOCKED)),
        ([Notification("Agent turn complete")], ("notification", State.IDLE)),
        ([Notification("Hello")], None),
        ([Progress(3, 0)], ("progress", State.WORKING)),
        ([Progress(3, 0), Progress(0, 0)], None),
        ([Progress(2, 50)], ("progress", State.ERROR)),
        ([Title("⠋ a"), Title("⠙ a")], ("title", State.WORKING)),
        ([Title("⠋ a"), Title("⠋ b")], None),
        ([Title("✳ a"), Title("⠙ a"), Title("✳ a")], None),
        ([Notification("Approval requested"), Progress(1, 5)], ("progress", State.WORKING)),
        ([Title("⠋ a"), Title("⠙ a"), Notification("done")], ("notification", State.IDLE)),
        ([Bell()], None),
    ],
)
def test_what_signals_say(events: list[Event], expected: tuple[str, State] | None):
    assert said(*events) == expected


def test_each_counts_for_a_while_only():
    assert said(Title("⠋"), Title("⠙"), at=3.5) is None
    assert said(Notification("done"), at=12.0) is None
