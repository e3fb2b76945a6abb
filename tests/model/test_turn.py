import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.model import Reasoning, Role, Span, Text, Turn, Usage, Vector


@given(
    st.sampled_from(list(Role)),
    st.sampled_from(list(Vector)),
    st.lists(st.text(max_size=50), max_size=5),
    st.none() | st.floats(allow_nan=False),
)
def test_msgpack_round_trip(role: Role, vector: Vector, texts: list[str], at: float | None) -> None:
    turn = Turn(
        role=role,
        vector=vector,
        parts=tuple(Text(text.encode("utf-8", "replace").decode()) for text in texts),
        at=at,
        usage=Usage(input_tokens=3),
        spans=(Span(0, 10),),
        meta={"stop_reason": "end_turn"},
    )
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(turn), type=Turn) == turn


def test_a_bad_role_names_its_place() -> None:
    with pytest.raises(msgspec.ValidationError, match=r"\$\.role"):
        msgspec.msgpack.decode(msgspec.msgpack.encode({"role": "narrator"}), type=Turn)


def test_vectors_are_ranked_from_file_to_screen() -> None:
    assert [vector.rank for vector in Vector] == list(range(6))
    assert Vector.NATIVE.rank < Vector.STREAM.rank < Vector.SCREEN.rank


def test_text_joins_text_parts_only() -> None:
    turn = Turn(role=Role.ASSISTANT, parts=(Text("a"), Reasoning("no"), Text("b")))
    assert turn.text == "a\n\nb"
