import base64
import re

import pytest

from dejavu.export.html.parts import as_element
from dejavu.model import (
    Blob,
    Extension,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    Vector,
)

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(40)).decode()


def _shown(part: Part, role: Role = Role.ASSISTANT, vector: Vector = Vector.NATIVE) -> str:
    return as_element(part, Turn(role=role, vector=vector, parts=(part,)))


def test_prose_is_open_and_keeps_the_line_ends_of_people_and_screens() -> None:
    assert _shown(Text("a\n**b**")) == "<p>a\n<strong>b</strong></p>\n"
    assert "<br" in _shown(Text("a\nb"), role=Role.USER)
    assert "<br" in _shown(Text("a\nb"), vector=Vector.SCREEN)


def test_long_instructions_of_the_system_are_folded_notices_are_not() -> None:
    assert _shown(Text("Interrupted"), role=Role.SYSTEM) == "<p>Interrupted</p>\n"
    folded = _shown(Text("You are an agent.\n" * 50), role=Role.SYSTEM)
    assert folded.startswith("<details")
    assert folded.count("You are an agent.") == 51


@pytest.mark.parametrize(
    ("part", "summary"),
    [
        (Reasoning("\nLet me *see*.\nMore."), '<b>Reasoning</b><span class="what">Let me *see*.'),
        (
            ToolCall("1", "Bash", {"command": "ls <x>"}),
            '<b>Bash</b><span class="what">ls &lt;x&gt;',
        ),
        (ToolCall("1", "Bash"), '<b>Bash</b><span class="what"></span>'),
        (ToolCallResponse("1", "one\ntwo"), '<b>Result</b><span class="what">one'),
        (ToolCallResponse("1", None), '<b>Result</b><span class="what">(empty)'),
        (ToolCallResponse("1", {"a": 1}, True), '<b>Error</b><span class="what">{'),
        (Extension("claude.attachment", {"x": "<y>"}), "<b>claude.attachment</b>"),
    ],
)
def test_everything_else_is_folded_under_a_line_that_says_it(part: Part, summary: str) -> None:
    html = _shown(part)
    assert html.startswith("<details")
    assert " open" not in html.split(">")[0]
    assert summary in html


def test_nothing_of_a_part_is_left_out() -> None:
    lines = "\n".join(f"line {number}" for number in range(3000))
    assert lines in _shown(ToolCallResponse("1", lines))
    assert "3.0k lines" in _shown(ToolCallResponse("1", lines))


def test_small_changes_come_unfolded_large_ones_folded() -> None:
    small = _shown(
        ToolCall("1", "Edit", {"file_path": "f.py", "old_string": "a", "new_string": "b"})
    )
    assert "open>" in small.split("<summary>")[0]
    assert ">+1</span>" in small
    assert ">f.py<" in small
    large = _shown(ToolCall("1", "Edit", {"old_string": "a\n" * 50, "new_string": "b\n" * 50}))
    assert "open>" not in large.split("<summary>")[0]


def test_raster_pictures_are_shown_from_their_own_bytes() -> None:
    assert f'src="data:image/png;base64,{PNG}"' in _shown(Blob("image/png", PNG))


@pytest.mark.parametrize(
    "blob",
    [
        Blob("image/svg+xml", base64.b64encode(b"<svg onload='x'>").decode()),
        Blob("image/png", base64.b64encode(b"<svg onload='x'>").decode()),
        Blob("image/png", '"><script>'),
        Blob("image/png", ""),
        Blob("text/html", PNG),
        Blob(None, PNG),
        Blob('image/png"', PNG),
    ],
)
def test_anything_else_attached_is_only_named(blob: Blob) -> None:
    html = _shown(blob)
    assert "<img" not in html
    assert "<script" not in html
    assert re.search(r"\[attached: .*bytes\]", html)


def test_files_of_the_workspace_are_named_from_there() -> None:
    call = ToolCall("1", "Read", {"file_path": "/w/one/src/a.py"})
    turn = Turn(role=Role.ASSISTANT, parts=(call,))
    assert '<span class="what">src/a.py</span>' in as_element(call, turn, "/w/one")
    assert '<span class="what">/w/one/src/a.py</span>' in as_element(call, turn, "/w/on")
    assert '<span class="what">/w/one/src/a.py</span>' in as_element(call, turn)
