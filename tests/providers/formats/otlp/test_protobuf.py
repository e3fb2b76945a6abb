"""Protobuf bodies in their JSON form."""

import base64

import pytest

pytest.importorskip("opentelemetry.proto", reason="needs the extra otlp")

from hypothesis import given
from hypothesis import strategies as st

from dejavu.providers.formats.otlp.export import SIGNALS, attributes, decode_protobuf, events

# One otlp_log record with an attribute of every type, and fields that are not read here.
LOGS = base64.b64decode(
    "CskCCh8KHQoMc2VydmljZS5uYW1lEg0KC2NsYXVkZS1jb2RlEqUCCgYKAXgSATESmgIJAHaH4VIq6hgQCRoESU5GTyoZ"
    "ChdjbGF1ZGVfY29kZS51c2VyX3Byb21wdDISCgpzZXNzaW9uLmlkEgQKAnMxMhsKCmV2ZW50Lm5hbWUSDQoLdXNlcl9w"
    "cm9tcHQyHwoGcHJvbXB0EhUKE0dyw7zDn2Ug8J+nkeKAjfCfkrsyEAoBbhILGPn//////////wEyEAoDYmlnEgkYgYCA"
    "gICAgBAyBwoBYhICEAEyDgoBZBIJIQAAAAAAAOA/MhAKAWwSCyoJCgMKAWEKAhgBMhEKAW0SDDIKCggKAWsSAwoBdjIL"
    "CgNyYXcSBDoCAP8yCAoEbm9uZRIARQEAAABKEAABAgMEBQYHCAkKCwwNDg9ZgAwg4lIq6hhiAWU="
)
TRACES = base64.b64decode(
    "Cr4BCh8KHQoMc2VydmljZS5uYW1lEg0KC2NsYXVkZS1jb2RlEpoBEpcBChAAAQIDBAUGBwgJCgsMDQ4PEggAAQIDBAUG"
    "ByoQY2xhdWRlX2NvZGUudG9vbDABOQB2h+FSKuoYQQBAIh1TKuoYShIKCnNlc3Npb24uaWQSBAoCczFKEwoLdG9vbF91"
    "c2VfaWQSBAoCYzFaJgkAKkzmUirqGBILdG9vbC5vdXRwdXQaDgoGb3V0cHV0EgQKAngKegIYAQ=="
)


def test_a_log_record_of_every_type():
    (event,) = events(decode_protobuf("/v1/logs", LOGS))
    assert event.service == "claude-code"
    assert event.name == "user_prompt"
    assert event.at == 1795293936.92
    facts = event.attributes
    assert facts["prompt"] == "Grüße 🧑‍💻"
    assert (facts["n"], facts["big"], facts["b"], facts["d"]) == (-7, 2**53 + 1, True, 0.5)
    assert (facts["l"], facts["m"], facts["raw"], facts["none"]) == (
        ["a", 1],
        {"k": "v"},
        "AP8=",
        None,
    )


def test_a_span_and_what_happened_in_it():
    opened, output = events(decode_protobuf("/v1/traces", TRACES))
    assert (opened.span, opened.at) == ("claude_code.tool", 1795293936.92)
    assert (output.name, output.at) == ("tool.output", 1795293937.0)
    assert output.attributes == {"session.id": "s1", "tool_use_id": "c1", "output": "x\n"}


@given(st.integers(0, len(LOGS) - 1))
def test_what_is_cut_off_is_refused_or_shorter(cut):
    try:
        decode_protobuf("/v1/logs", LOGS[:cut])
    except ValueError:
        return
    assert cut == 0


@given(st.binary(max_size=200))
def test_anything_else_is_a_value_error_at_most(data):
    for path in SIGNALS:
        try:
            decode_protobuf(path, data)
        except ValueError:
            continue


def test_nesting_is_bounded():
    value = b""
    for _ in range(60):  # an array in an array in an array ...
        inner = b"\x0a" + _length(value) + value
        value = b"\x2a" + _length(inner) + inner
    pair = b"\x0a\x01k\x12" + _length(value) + value
    record = b"\x32" + _length(pair) + pair
    for field in (b"\x12", b"\x12", b"\x0a"):
        record = field + _length(record) + record
    with pytest.raises(ValueError, match="no OTLP protobuf"):
        decode_protobuf("/v1/logs", record)


def _length(data):
    size, out = len(data), bytearray()
    while size > 0x7F:
        out.append(size & 0x7F | 0x80)
        size >>= 7
    out.append(size)
    return bytes(out)


def test_numbers_beyond_64_bits_are_refused():
    with pytest.raises(ValueError, match="no OTLP protobuf"):
        decode_protobuf("/v1/logs", b"\x08" + b"\xff" * 12)


def test_attributes_of_an_empty_record():
    assert attributes({}) == {}
    assert decode_protobuf("/v1/logs", b"") == {}
