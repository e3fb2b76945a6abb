"""Width of text in terminal cells, as `wcwidth` measures it.

ASCII, nearly all text, costs one length; the rest is cached.
"""

from functools import lru_cache

from wcwidth import wcswidth, wcwidth


def width(text: str) -> int:
    """Return the cells `text` covers; a control character counts as none."""
    return len(text) if text.isascii() else _wide_width(text)


def is_wide(character: str) -> bool:
    """Whether a character covers two cells (CJK, most emoji): such text wraps without blanks."""
    return not character.isascii() and wcwidth(character) == 2


@lru_cache(maxsize=4096)
def _wide_width(text: str) -> int:
    cells = wcswidth(text)
    return cells if cells >= 0 else sum(max(wcwidth(character), 0) for character in text)
