from dejavu.scrapers import State


def test_states_are_the_words_of_the_contract():
    assert [str(state) for state in State] == [
        "working",
        "blocked",
        "idle",
        "error",
        "exited",
        "unknown",
    ]
