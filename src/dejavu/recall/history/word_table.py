"""A model file taken apart: the table of its words' vectors stays in the file, the rest is for onnxruntime.

The table is half of the model. In onnxruntime it would be unpacked to four bytes a number (47 MB); here
the file is mapped, and a text reads only the rows it needs. The numbers are the same to the last bit.

Knows of ONNX what it needs: the fields of a graph, in the wire format of protocol buffers.
Must not: run the model, or check the file (`minilm` does both). Costs O(file), once.
"""

import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

_TABLE = b"inner.embeddings.word_embeddings.weight"
_GRAPH = 7  # of a model
_NODE, _INITIALIZER, _INPUT = 1, 5, 11  # of a graph
_INPUTS, _NAME, _RAW = 1, 8, 9  # the inputs of a node; the name and the bytes of an initializer


class WordTable(NamedTuple):
    """A row of signed bytes a word, and what each row is multiplied by."""

    codes: Any
    scale: Any
    name: str = "embedding"
    """The input of the graph that takes its place."""

    def vectors(self, ids: Any) -> Any:
        """The vectors of some words, float32."""
        return self.codes[ids].astype("float32") * self.scale[ids]


def split(path: Path, numpy: Any, dimensions: int) -> tuple[bytes, WordTable]:
    """The model without its table, and the table.

    Raises:
        KeyError: the file has no table of that name.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    outer: list[bytes] = []
    found: dict[bytes, Any] = {}
    for number, first, inside, last in _fields(data, 0, len(data)):
        if number != _GRAPH:
            outer.append(data[first:last])
            continue
        kept: list[bytes] = []
        for inner, start, begin, end in _fields(data, inside, last):
            name, place = _described(data, inner, begin, end)
            if name.startswith(_TABLE):
                if inner == _INITIALIZER:
                    found[name.removeprefix(_TABLE)] = place
            elif (inner, name) != (_INPUT, b"input_ids"):
                kept.append(data[start:end])
        outer.append(_message(_GRAPH, b"".join([*kept, _message(_INPUT, _declared(dimensions))])))
    begin, end = found[b"_q"]
    codes = numpy.frombuffer(data, numpy.int8, end - begin, begin).reshape(-1, dimensions)
    scale = numpy.frombuffer(data[slice(*found[b"_scale"])], numpy.float32).reshape(-1, 1)
    if hasattr(data, "madvise"):
        data.madvise(mmap.MADV_DONTNEED)  # pages that were read come back when they are needed
    return b"".join(outer), WordTable(codes, scale)


def _described(data: mmap.mmap, kind: int, begin: int, end: int) -> tuple[bytes, tuple[int, int]]:
    """The name that tells whether a part of the graph is of the table, and where its bytes are."""
    wanted = {_NODE: _INPUTS, _INITIALIZER: _NAME, _INPUT: 1}.get(kind)
    name, place = b"", (0, 0)
    if wanted is not None:
        for number, _, first, last in _fields(data, begin, end):
            if number == wanted and not name:
                name = data[first:last]
            elif number == _RAW and kind == _INITIALIZER:
                place = first, last
    return name, place


def _declared(dimensions: int) -> bytes:
    """The declaration of an input of shape (batch, sequence, dimensions), float32."""
    shape = [_message(1, _message(2, name)) for name in (b"batch", b"sequence")]
    shape.append(_message(1, b"\x08" + _varint(dimensions)))
    tensor = b"\x08\x01" + _message(2, b"".join(shape))
    return _message(1, b"embedding") + _message(2, _message(1, tensor))


def _message(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    made = bytearray()
    while number > 0x7F:
        made.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*made, number])


def _fields(data: mmap.mmap, at: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """The fields of a message: number, where it starts, where its content begins and ends."""
    while at < end:
        start = at
        key, at = _number(data, at)
        begin = at
        if key & 7 == 2:
            length, begin = _number(data, at)
            at = begin + length
        elif key & 7 == 0:
            _, at = _number(data, at)
        else:
            at += 8 if key & 7 == 1 else 4
        yield key >> 3, start, begin, at


def _number(data: mmap.mmap, at: int) -> tuple[int, int]:
    """A number of variable length, and where it ends."""
    number = shift = 0
    while (byte := data[at]) > 0x7F:
        number |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
    return number | byte << shift, at + 1
