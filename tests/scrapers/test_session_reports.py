"""What an agent reports of itself, and hints, next to what its screen shows."""

from tests.scrapers.test_session import ANSWER, ASK, BOX, BUSY, DIALOG, RULE, session

from dejavu.model import Role
from dejavu.scrapers import SessionReader, State


def report(body: str) -> bytes:
    return f"\x1b]7501;{body}\x1b\\".encode()


def drawn(reader: SessionReader, text: str, at: float) -> None:
    reader.output(f"\x1b[H\x1b[J{text}".encode(), at)
    reader.tick(at + 2.0)


def test_the_agents_own_report_comes_before_any_rule():
    reader = session()
    drawn(reader, ASK + BUSY + BOX, 1.0)
    assert reader.state is State.WORKING
    reader.output(report("state=done"), 4.0)
    assert reader.state is State.WORKING  # it may yet draw a dialog
    reader.tick(4.5)
    assert (reader.state, reader.status[-1].rule) == (State.IDLE, "program-status")
    (change,) = reader.output(report("state=error:msg=NTI5"), 5.0)
    assert (change.state, change.detail) == (State.ERROR, "529")
    reader.output(report("state=clear"), 6.0)
    reader.tick(8.0)
    assert reader.state is State.WORKING  # the rules' word again


def test_a_dialog_on_the_screen_outranks_a_reported_idle():
    reader = session()
    reader.output(report("state=done"), 1.0)
    drawn(reader, DIALOG, 1.05)
    assert [str(change.state) for change in reader.status] == ["blocked"]
    asked = reader.situation.blocked
    assert asked is not None
    assert (asked.question, asked.default) == ("Do you want to run make?", "Yes")
    drawn(reader, ASK + ANSWER + BOX, 5.0)
    assert reader.state is State.IDLE
    assert reader.situation.blocked is None


def test_a_reported_idle_is_doubted_on_a_screen_that_is_not_the_idle_one():
    reader = session()
    reader.output(report("state=done"), 1.0)
    drawn(reader, "a release that no rule knows", 1.1)
    assert reader.state is State.IDLE  # all there is to go by
    drawn(reader, ASK + ANSWER + BOX, 4.0)
    drawn(reader, "a page that a person opened", 8.0)
    assert reader.state is State.UNKNOWN
    drawn(reader, "  Help  General\r\n\r\n  Words.\r\n\r\n  ←/→ to switch · Esc to close", 12.0)
    blocked = reader.situation.blocked
    assert blocked is not None
    assert (reader.state, blocked.kind) == (State.BLOCKED, "menu")
    drawn(reader, ASK + ANSWER + BOX, 16.0)
    assert reader.state is State.IDLE


def test_a_viewer_over_the_screen_does_not_change_a_reported_idle():
    reader = SessionReader("claude", 100, 20)
    reader.output(report("state=done"), 1.0)
    drawn(reader, "❯ hi\r\n\r\n● Hi." + BOX.replace(RULE, "─" * 100), 1.1)
    assert (reader.state, str(reader.reading and reader.reading.state)) == (State.IDLE, "idle")
    viewer = "─" * 100 + "\r\n  Showing detailed transcript · ctrl+o to toggle"
    drawn(reader, "❯ hi\r\n\r\n● Hi.\r\n\r\n" + viewer, 5.0)
    assert reader.reading is not None
    assert reader.reading.hold
    assert reader.state is State.IDLE


def test_a_prompt_mark_and_the_end_take_back_what_was_reported():
    reader = session()
    reader.output(report("state=working:msg=YQ=="), 1.0)
    assert (reader.state, reader.situation.message) == (State.WORKING, "a")
    drawn(reader, ASK + ANSWER + BOX, 2.0)
    assert reader.state is State.WORKING
    reader.output(b"\x1b]133;A\x07", 5.0)
    reader.tick(7.0)
    assert (reader.state, reader.status[-1].rule) == (State.IDLE, "input")
    reader.output(report("state=done") + report("state=working:id=a"), 8.0)
    reader.tick(9.0)
    assert [entry.kind for entry in reader.situation.pending] == ["task"]
    reader.exit(0, 10.0)
    assert (reader.state, reader.situation.pending) == (State.EXITED, ())


def test_reports_and_rules_are_compared():
    reader = session()
    reader.output(report("state=working"), 1.0)
    drawn(reader, ASK + BUSY + BOX, 1.1)  # too early to be held against the rules
    assert reader.agreement == {}
    drawn(reader, ASK + BUSY + BOX, 4.0)
    drawn(reader, ASK + ANSWER + BOX, 7.0)
    assert reader.agreement["program-status", State.WORKING, State.WORKING] >= 1
    assert reader.agreement["program-status", State.WORKING, State.IDLE] >= 1


def test_an_agent_that_speaks_the_other_proposal_is_believed_where_it_is_all_there_is():
    reader = session()
    reader.output(b"\x1b]26;CodeAgent=x;Status=awaiting-approval;Detail=rm\x07", 1.0)
    assert (reader.state, reader.status[-1].rule) == (State.BLOCKED, "agent-status")
    reader.output(report("state=working"), 2.0)
    assert reader.status[-1].rule == "program-status"


def test_messages_that_an_agent_marks_are_whole_while_they_grow():
    reader = SessionReader("kimi", 60, 24)
    start, end = "\x1b]133;A\x07", "\x1b]133;B\x07\x1b]133;C\x07"
    prompt = f"{start} \x1b[1m✨ why?\x1b[m\r\n\r\n{end}   ● Used Read (a.py)\r\n"
    reader.output(f"\x1b[H{prompt}".encode(), 1.0)
    for size in range(1, 5):
        lines = [" ● Type:", "", " ✨ go on", "   and so on."][:size]
        lines[0] = start + lines[0]
        lines[-1] = end + lines[-1]
        drawn = "\r\n".join(f"\x1b[2K{line}" for line in lines)
        reader.output(f"\x1b[4;1H{drawn}\r\n".encode(), 1.0 + size)
    reader.exit(0, 9.0)
    assert [turn.role for turn in reader.turns] == [Role.USER, Role.ASSISTANT]
    assert "Used Read (a.py)" in reader.turns[0].text
    assert "go on" in reader.turns[1].text


def test_a_hook_does_not_override_the_agents_own_report():
    reader = session()
    reader.output(report("state=working"), 1.0)
    assert reader.signal(State.IDLE, 1.5, "hook") == ()
    assert reader.state is State.WORKING


def test_hints_speak_where_no_rule_does_and_only_for_a_while():
    reader = session()
    reader.output("nothing known\x1b]0;⠋ go\x07".encode(), 1.0)
    reader.tick(1.2)
    reader.output("\x1b]0;⠙ go\x07".encode(), 1.3)
    reader.tick(1.7)
    assert (reader.state, reader.status[-1].rule) == (State.WORKING, "title")
    for _ in range(5):
        if reader.due is not None:
            reader.tick(reader.due)
    assert reader.state is State.UNKNOWN
    reader.output(b"\x1b]9;Approval requested: rm\x07", 10.0)
    reader.tick(10.6)
    assert (reader.state, reader.status[-1].rule) == (State.BLOCKED, "notification")
    drawn(reader, ASK + ANSWER + BOX, 12.0)
    assert reader.state is State.IDLE
    assert reader.agreement["notification", State.BLOCKED, State.IDLE] >= 1
