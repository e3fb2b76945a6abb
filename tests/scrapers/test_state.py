from dejavu.scrapers import Confidence, State, StatusChange


def test_states_are_the_words_of_the_contract():
    assert [str(state) for state in State] == [
        "working",
        "blocked",
        "idle",
        "error",
        "exited",
        "unknown",
    ]


def test_confidence_falls_from_certain_to_none():
    assert [str(level) for level in Confidence] == ["certain", "strong", "weak", "none"]


def test_a_change_needs_no_detail():
    assert StatusChange(1.0, State.IDLE, "input").detail == ""
