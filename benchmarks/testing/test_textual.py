"""pytest-textual-snapshot: Textual programs alone, in the test's own process."""


def test_counter(snap_compare):
    assert snap_compare("counter.py", press=["enter"], terminal_size=(50, 12))
