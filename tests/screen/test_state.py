from dejavu.screen.state import REPLIES_LIMIT, SCROLLED_LIMIT, State


def test_a_fresh_state_is_at_home() -> None:
    state = State(20, 5, 10)
    assert (state.x, state.y, state.style, state.fast_path) == (0, 0, 0, True)
    assert state.tabs == {8, 16}
    assert state.capture().rows == (" " * 20,) * 5


def test_settle_hands_over_and_starts_anew() -> None:
    state = State(4, 2, 2)
    rows = [(name, "\0", False) for name in "abc"]
    state.scrolled += rows
    assert state.end_feed() == (rows, ())
    assert list(state.history) == rows[1:]
    assert state.end_feed() == ([], ())


def test_answers_nobody_collects_are_bounded() -> None:
    state = State(4, 2, 2)
    for _ in range(10_000):
        state.reply("x" * 100)
    assert len(state.replies) <= REPLIES_LIMIT + 100


def test_sweeping_keeps_what_is_shown_and_fades_old_history() -> None:
    state = State(4, 1, 0x9000)
    for number in range(0xF800):
        character = state.palette.intern(number + 1)
        if number % 2:
            state.history.append(("ab", character * 2, False))
    marked = state.clusters.join("e", "\u0301")
    shown = state.palette.intern(5)
    state.rows[0] = (marked, shown, False)
    state.compact()
    assert not state.palette.nearly_full
    assert state.palette.styles[shown] == 5
    assert state.clusters.text(state.rows[0][0]) == "e\u0301"
    assert all(row[1][0] in state.palette.styles for row in state.history)
    for number in range(1 << 20, (1 << 20) + 0xF800):
        state.history.append(("ab", state.palette.intern(number) * 2, False))
    state.compact()
    assert not state.palette.nearly_full
    assert {row[0] for row in state.history} == {"ab"}
    assert state.palette.styles[state.history[-1][1][0]] == (1 << 20) + 0xF7FF


def test_lines_of_one_feed_are_bounded_and_history_gets_them_all() -> None:
    state = State(4, 1, SCROLLED_LIMIT + 500)
    state.scrolled += [(str(number), "", False) for number in range(SCROLLED_LIMIT + 100)]
    state.wiped_rows = 40  # the first ones were erased by ED 3
    state.compact()
    left, _ = state.end_feed()
    assert (len(left), left[0][0]) == (SCROLLED_LIMIT, "100")
    assert (len(state.history), state.history[0][0]) == (SCROLLED_LIMIT + 60, "40")
