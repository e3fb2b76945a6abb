"""What still stands: doubles and decisions taken back."""

from dejavu.recall.history.dedupe import is_duplicate, superseded


def test_the_later_decision_stands() -> None:
    told = [
        ("We decided: the retention window is 30 days.", 1.0),
        ("Noted.\nThe retention window is 90 days.", 2.0),
        ("The window in the kitchen is open.", 3.0),
    ]
    assert superseded(told) == {0}
    assert superseded(list(reversed(told))) == {2}


def test_a_question_takes_nothing_back() -> None:
    told = [("The port is 8080 for the api.", 1.0), ("Is the port 9090 for the api?", 2.0)]
    assert superseded(told) == set()


def test_doubles() -> None:
    assert is_duplicate("Run the tests!", "run the tests")
    assert not is_duplicate("see a.py", "see b.py")
    long = "the gateway retries every request three times before it gives up"
    assert is_duplicate(long, long + " now") is is_duplicate(long + " now", long)
