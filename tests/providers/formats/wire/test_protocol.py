"""What all model APIs share."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dejavu.providers.formats.wire import APIS, ModelRequest

HALF = settings(max_examples=settings.default.max_examples // 2)  # one for each of many
NAMES = st.sampled_from(
    re.findall(
        r"\w+",
        "messages input contents system instructions tools role content parts type text id delta "
        "item choices message output candidates functionCall response error usage metadata user_id "
        "index tool_calls function arguments name",
    )
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
)
OBJECTS = st.dictionaries(NAMES, JSON, max_size=5)


@pytest.mark.parametrize("api", APIS, ids=lambda api: api.name)
@given(body=OBJECTS)
@HALF
def test_no_request_raises(api, body):
    assert isinstance(api.parse_request(body), ModelRequest)


@pytest.mark.parametrize("api", APIS, ids=lambda api: api.name)
@given(bodies=st.lists(OBJECTS, max_size=4))
@HALF
def test_no_response_raises(api, bodies):
    reply, whole = api.reply(), api.reply()
    for body in bodies:
        reply.event(body)
        whole.whole(body)
    assert isinstance(reply.parts(), tuple)
    assert isinstance(whole.parts(), tuple)


@pytest.mark.parametrize(
    ("name", "choice", "forced"),
    [
        ("anthropic.messages", {"type": "tool", "name": "x"}, True),
        ("anthropic.messages", {"type": "auto"}, False),
        ("openai.chat", {"type": "function"}, True),
        ("openai.chat", "auto", False),
        ("openai.responses", "required", True),
        ("openai.responses", None, False),
    ],
)
def test_a_tool_may_be_forced(name, choice, forced):
    (api,) = (api for api in APIS if api.name == name)
    assert api.parse_request({"tool_choice": choice}).forced is forced


def test_gemini_forces_by_its_mode():
    (api,) = (api for api in APIS if api.name == "gemini.generate")
    body = {"toolConfig": {"functionCallingConfig": {"mode": "ANY"}}}
    assert api.parse_request(body).forced
    assert not api.parse_request({}).forced


def test_an_api_has_one_name():
    assert len({api.name for api in APIS}) == len(APIS)
