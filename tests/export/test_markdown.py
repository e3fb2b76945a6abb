import re

from hypothesis import given
from hypothesis import strategies as st

from dejavu.export import as_markdown
from dejavu.model import Conversation, Reasoning, Role, Text, ToolCallResponse, Turn


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
