"""Rows that keep coming mean work where nothing on the screen says so."""

from dejavu.scrapers import SessionReader, State

RULE = "─" * 40
BOX = [RULE, "❯ ", RULE]


def draw(reader: SessionReader, rows: list[str], at: float) -> None:
    reader.output(("\x1b[?1049h\x1b[H\x1b[J" + "\r\n".join([*rows, "", *BOX])).encode(), at)


def test_an_answer_that_streams_without_a_spinner_is_work_until_it_stands_still() -> None:
    reader = SessionReader("claude", 60, 30)
    rows = ["❯ ask", "", "● It begins."]
    for number in range(8):
        draw(reader, rows, 1.0 + number * 0.4)
        rows.append(f"  row number {number}")
    assert reader.state is State.WORKING
    assert reader.status[-1].rule == "cue:growth"
    reader.tick(6.0)
    assert reader.state is State.IDLE


def test_one_notice_and_rows_a_person_scrolls_to_are_no_work() -> None:
    reader = SessionReader("claude", 60, 14)
    rows = ["❯ ask", "", "● It is long."] + [f"  row number {n}" for n in range(30)]
    draw(reader, rows[-8:], 1.0)
    reader.tick(5.0)
    for number, start in enumerate([20, 15, 10, 15, 20, 25]):
        draw(reader, rows[start : start + 8], 10.0 + number * 0.3)
        reader.tick(10.2 + number * 0.3)
    assert reader.state is State.IDLE
    draw(reader, [*rows[-8:], "", "● A notice."], 20.0)
    reader.tick(20.9)
    assert {change.state for change in reader.status} == {State.IDLE}


def test_rows_that_come_as_somebody_types_complete_what_is_typed() -> None:
    for typed, state in (("/model", State.IDLE), ("", State.WORKING)):
        reader = SessionReader("claude", 60, 30)
        rows = ["❯ ask", "", "● It is so."]
        for number in range(6):
            box = [RULE, f"❯ {typed[: number + 1]}", RULE]
            screen = "\r\n".join([*rows, "", *box])
            cursor = f"\x1b[{len(rows) + 3};{3 + len(box[1][2:])}H"
            screen = f"\x1b[?1049h\x1b[H\x1b[J{screen}{cursor}"
            reader.output(screen.encode(), 1.0 + number * 0.4)
            rows.append(f"  /command-{number} does it")
        assert reader.state is state, typed
