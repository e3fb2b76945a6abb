"""A file of text as lines. O(bytes), `LARGEST` at most.

Tested in: tests/extensions/code/test_blame.py
"""

from pathlib import Path

from dejavu.model import NotFoundError

LARGEST = 8 << 20
"""Bytes of a file that is looked at."""


def read_lines(path: Path) -> list[str]:
    """The lines of a file.

    Raises:
        NotFoundError: no such regular file, or none of text.
    """
    try:
        if not path.is_file():
            raise NotFoundError(f"no file {str(path)!r}")
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        raise NotFoundError(f"{str(path)!r} cannot be read: {error}") from error
    return text_lines(data, str(path))


def text_lines(data: bytes, name: str) -> list[str]:
    r"""The lines of a text, without `\n` or `\r\n`.

    Raises:
        NotFoundError: it is binary or too large.
    """
    if len(data) > LARGEST:
        raise NotFoundError(f"{name!r} is larger than {LARGEST >> 20} MiB")
    if b"\0" in data[:8_000] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise NotFoundError(f"{name!r} is no text")
    coding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
    lines = data.decode(coding, "replace").split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]
