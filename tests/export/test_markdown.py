import re

from hypothesis import given
from hypothesis import strategies as st

from dejavu.export.inert_markdown import is_inert
from dejavu.export.markdown import as_markdown
from dejavu.model import Conversation, Part, Reasoning, Role, Text, ToolCallResponse, Turn


def _of(*turns: Turn) -> str:
    return as_markdown(Conversation(id="x", agent="claude").with_turns(turns))


def test_the_agents_own_markdown_stays() -> None:
    out = _of(Turn(role=Role.ASSISTANT, parts=(Text("a **b**\n\n- c"), Reasoning("hm\nso"))))
    assert "a **b**\n\n- c" in out
    assert "> hm\n> so" in out


@given(st.text(st.sampled_from("`ab\n"), max_size=40))
def test_no_output_can_close_its_fence(response: str) -> None:
    out = _of(Turn(role=Role.TOOL, parts=(ToolCallResponse("1", response),)))
    fences = re.findall(r"(?m)^(`{3,})$", out)
    longest = max(len(fence) for fence in fences)
    assert sum(len(fence) == longest for fence in fences) == 2


_PIECES = (
    "- a", "1. a", "> q", "    <img src=x>", "    ![x](http://e/a)", "<!--", "-->", "```", "~~~",
    "[x]: javascript:alert(1)", "[x]", "[a](javascript:b)", "\t<b>", "<script>", "* * *",
    "| a | b |\n|---|---|", "<details>", "[y]: data:image/png,", "![x][y]", "\\", "  - b",
    "        <i>",
)  # fmt: skip
_SAID = st.lists(st.sampled_from(_PIECES), max_size=4).map("\n".join)
_PARTS = st.one_of(_SAID.map(Text), _SAID.map(Reasoning))


@given(st.lists(st.lists(_PARTS, max_size=3), max_size=3))
def test_nothing_in_a_whole_page_is_active(turns: list[list[Part]]) -> None:
    assert is_inert(_of(*(Turn(role=Role.ASSISTANT, parts=tuple(parts)) for parts in turns)))


def test_code_of_one_part_is_no_image_in_the_list_of_another() -> None:
    parts = (Text("- a"), Text("    ![x](http://evil.example/a.png)"))
    assert is_inert(_of(Turn(role=Role.ASSISTANT, parts=parts)))
