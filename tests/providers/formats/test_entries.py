"""Messages as entries: one reader for the names that agents share."""

from typing import Any

import pytest

from dejavu.model import Role, ToolCallResponse
from dejavu.providers.formats.entries import entry, usage_of


def test_a_block_whose_type_is_no_text_is_read_as_a_response() -> None:
    strange = {"role": "tool", "content": [{"type": ["tool_result"], "text": "7"}]}
    one = entry(strange, "frog", lambda _kind: None)
    assert one is not None
    assert (one.role, one.results) == (Role.TOOL, (ToolCallResponse(None, "7"),))


@pytest.mark.parametrize(
    ("counts", "whole", "read", "cost"),
    [
        ({"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 4}}, 9, 4, None),
        ({"input_tokens": 2, "cache_read_input_tokens": 4, "cacheWrite": 3}, 9, 4, None),
        ({"cost": 0.5}, None, None, 0.5),
    ],
)
def test_an_input_is_counted_with_what_came_from_the_cache(
    counts: dict[str, Any], whole: int | None, read: int | None, cost: float | None
) -> None:
    usage = usage_of(counts)
    assert usage is not None
    assert (usage.input_tokens, usage.cache_read_input_tokens, usage.cost) == (whole, read, cost)


@pytest.mark.parametrize("counts", [None, [], {}, {"total": 7}, {"input_tokens": "many"}])
def test_no_count_is_no_usage(counts: Any) -> None:
    assert usage_of(counts) is None
