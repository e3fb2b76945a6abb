from hypothesis import given
from hypothesis import strategies as st

from dejavu.export.changes import as_change, change_of, is_diff, line_kind

UNIFIED = """diff --git a/x b/x
--- a/x
+++ b/x
@@ -1,2 +1,2 @@
-old
+new <b>
 same
"""


def test_the_lines_of_a_diff_are_counted_and_told_apart() -> None:
    change = as_change(UNIFIED)
    assert (change.added, change.removed) == (1, 1)
    kinds = ["file", "file", "file", "at", "del", "add", ""]
    assert [line_kind(line) for line in change.lines] == kinds
    assert "\n".join(change.lines) == UNIFIED.strip("\n")


def test_diffs_are_told_from_lists_and_rules() -> None:
    assert is_diff(UNIFIED)
    assert is_diff("\n@@ -1 +1 @@\n-a\n+b")
    assert is_diff("*** Begin Patch\n*** Update File: x")
    for text in ("- one\n- two", "--- \ntitle: x\n---", "+1 for this", "@@ what", ""):
        assert not is_diff(text)


def test_edits_of_several_agents_are_changes() -> None:
    for old, new in (
        ("old_string", "new_string"),
        ("oldString", "newString"),
        ("old_str", "new_str"),
    ):
        change = change_of({"file_path": "f", old: "a\nb\nc", new: "a\nB\nc"})
        assert change is not None
        assert (change.added, change.removed) == (1, 1)
        assert not any(line.startswith("@@ ") for line in change.lines)
    several = change_of({"edits": [{"old_string": "a", "new_string": "b"}] * 2})
    assert several is not None
    assert (several.added, several.removed) == (2, 2)
    patch = change_of({"input": "*** Begin Patch\n*** Update File: x\n-a\n+b\n*** End Patch"})
    assert patch is not None
    assert change_of(UNIFIED) is not None


def test_what_changes_nothing_is_no_change() -> None:
    for arguments in (
        None,
        7,
        "ls",
        [],
        {},
        {"command": "ls"},
        {"old_string": 3, "new_string": "x"},
        {"edits": "x"},
        {"edits": [None]},
        {"old_string": "a", "new_string": "a"},
    ):
        assert change_of(arguments) is None


@given(st.lists(st.sampled_from(["a", "b", "c", ""])), st.lists(st.sampled_from(["a", "b", "d"])))
def test_every_line_taken_and_given_is_in_the_change(old: list[str], new: list[str]) -> None:
    change = change_of({"old_string": "\n".join(old), "new_string": "\n".join(new)})
    if change is not None:
        assert [line_kind(line) for line in change.lines].count("add") == change.added
        assert change.added - change.removed == len("\n".join(new).splitlines()) - len(
            "\n".join(old).splitlines()
        )


def test_a_huge_edit_is_not_compared() -> None:
    # Comparing would find half of the lines unchanged.
    change = change_of({"old_string": "a\nb\n" * 5_000, "new_string": "b\na\n" * 5_000})
    assert change is not None
    assert (change.added, change.removed) == (10_000, 10_000)
