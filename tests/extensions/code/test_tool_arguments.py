from typing import Any

import pytest

from dejavu.extensions.code.file_edit import EditKind, FileEdit, Hunk
from dejavu.extensions.code.tool_arguments import shell_command, tool_edits

_PATCH = "*** Begin Patch\n*** Update File: a.py\n@@ def f\n one\n-two\n+three\n*** End Patch"


def _replace(path: str, before: tuple[str, ...], after: tuple[str, ...]) -> list[FileEdit]:
    return [FileEdit(path, EditKind.REPLACE, (Hunk(before, after),))]


@pytest.mark.parametrize(
    ("tool", "arguments", "edits"),
    [
        (
            "Edit",
            {"file_path": "/a", "old_string": "x\ny", "new_string": "z"},
            _replace("/a", ("x", "y"), ("z",)),
        ),
        (
            "edit",
            {"filePath": "a", "oldString": "x", "newString": "z"},
            _replace("a", ("x",), ("z",)),
        ),
        (
            "replace",
            {"file_path": "a", "old_string": "x\n", "new_string": "z\n"},
            _replace("a", ("x",), ("z",)),
        ),
        (
            "StrReplaceFile",
            {"path": "a", "edit": {"old": "x", "new": "z"}, "edits": [{"old": "x", "new": "z"}]},
            _replace("a", ("x",), ("z",)),
        ),
        ("edit_file", {"path": "a", "old_str": "x", "new_str": "z"}, _replace("a", ("x",), ("z",))),
        ("apply_patch", _PATCH, _replace("a.py", ("one", "two"), ("one", "three"))),
        ("apply_patch", {"input": _PATCH}, _replace("a.py", ("one", "two"), ("one", "three"))),
        (
            "shell",
            {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{_PATCH}\nEOF"]},
            _replace("a.py", ("one", "two"), ("one", "three")),
        ),
        (
            "replace_in_file",
            {"path": "a", "diff": "------- SEARCH\nx\n=======\nz\n+++++++ REPLACE"},
            _replace("a", ("x",), ("z",)),
        ),
        (
            "Write",
            {"file_path": "/a", "content": "x\r\ny\n"},
            [FileEdit("/a", EditKind.WRITE, (Hunk((), ("x", "y")),))],
        ),
        (
            "never_seen",
            {"uri": "file:///a%20b", "oldText": "x", "newText": "z"},
            _replace("/a b", ("x",), ("z",)),
        ),
        (
            "never_seen",
            {"target": {"changes": 1}, "patch": "--- a/q\n+++ b/q\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n"},
            _replace("q", ("x", "y"), ("x", "z")),
        ),
        ("Read", {"file_path": "/a", "content": "x"}, []),
        ("grep", {"pattern": "x", "path": "a"}, []),
        ("Edit", {"file_path": 3, "old_string": None}, []),
        ("Edit", None, []),
        ("Edit", ["x"], []),
    ],
)
def test_a_call_is_known_by_what_it_holds(tool: str, arguments: Any, edits: list[FileEdit]) -> None:
    assert tool_edits(tool, arguments) == edits


def test_a_shell_writes_what_its_text_says() -> None:
    command = (
        "cd sub && cat > x.py <<'EOF'\nfoo() {\n}\nEOF\n"
        "sed -i s/a/b/ f.txt; git mv a b && rm k; echo hi >> log 2>/dev/null; ls > /dev/null 2>&1\n"
        "cat > $OUT <<E\nnobody knows where\nE\npython - <<'PY'\nprint(1)\nPY\n"
    )
    assert tool_edits("Bash", {"command": command}) == [
        FileEdit("sub/x.py", EditKind.WRITE, (Hunk((), ("foo() {", "}")),)),
        FileEdit("sub/f.txt", EditKind.TOUCH),
        FileEdit("sub/b", EditKind.MOVE, source="sub/a"),
        FileEdit("sub/k", EditKind.DELETE),
        FileEdit("sub/log", EditKind.APPEND, (Hunk((), ("hi",)),)),
    ]


@pytest.mark.parametrize(
    "command", ["cat > 'open", "<<", "<<EOF\n", "a <<E <<E\n", "x" * 2_000_000]
)
def test_a_broken_command_says_nothing(command: str) -> None:
    assert tool_edits("Bash", {"command": command}) == []


def test_a_patch_moves_adds_and_deletes() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: a\n*** Move to: c\n@@\n-x\n+y\n"
        "*** Add File: n\n+1\n+2\n*** Delete File: d\n*** End Patch"
    )
    assert tool_edits("apply_patch", patch) == [
        FileEdit("c", EditKind.MOVE, source="a"),
        *_replace("c", ("x",), ("y",)),
        FileEdit("n", EditKind.WRITE, (Hunk((), ("1", "2")),)),
        FileEdit("d", EditKind.DELETE),
    ]


def test_the_command_line_of_a_shell_tool() -> None:
    assert shell_command("shell", {"command": ["bash", "-lc", "make test"]}) == "make test"
    assert shell_command("run_commands", {"commands": ["a", "b"]}) == "a b"
    assert shell_command("str_replace_editor", {"command": "view", "path": "a"}) is None
    assert shell_command("ask", {"input": "why?"}) is None
