"""Lines of one message, added up."""

from hypothesis import given
from hypothesis import strategies as st

from dejavu.model import Part, Reasoning, Text, ToolCall, Usage
from dejavu.providers.claude.answers import merged, usage_delta, usage_max

COUNT = st.none() | st.integers(0, 99)
USAGE = st.builds(Usage, input_tokens=COUNT, output_tokens=COUNT)


@given(USAGE, USAGE)
def test_the_parts_of_a_growing_count_add_up_to_the_greatest(one: Usage, other: Usage) -> None:
    total = usage_max(one, other)
    rest = usage_delta(total, one)
    assert total is not None
    assert rest is not None
    for name in ("input_tokens", "output_tokens"):
        a, b, whole = getattr(one, name), getattr(rest, name), getattr(total, name)
        assert (whole or 0) == max(a or 0, getattr(other, name) or 0)
        assert b is None or b == (whole or 0) - (a or 0)


def test_no_count_is_no_count() -> None:
    assert usage_max(None, None) is None
    assert usage_max(None, Usage(input_tokens=1)) == Usage(input_tokens=1)
    assert usage_delta(None, None) is None


def test_a_line_written_again_adds_nothing() -> None:
    parts: tuple[Part, ...] = (Reasoning("hm"), Text("a"), ToolCall("1", "ls", {}))
    assert merged(parts, [Text("a")]) == parts
    assert merged(parts, [ToolCall("1", "ls", {"p": 1})])[2] == ToolCall("1", "ls", {"p": 1})
    assert merged((Text("Coun"),), [Text("Counting")]) == (Text("Counting"),)
    assert merged((Text("Coun"),), [Reasoning("Counting")]) == (Text("Coun"), Reasoning("Counting"))
    assert merged((Text("a"),), [Text("b")]) == (Text("a"), Text("b"))
