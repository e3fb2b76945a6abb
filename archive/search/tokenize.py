"""Words: what of a turn is searched, and how text and queries become the same tokens.

tantivy's own tokeniser cuts at everything that is no letter or digit, lower-cases, and leaves accents
out (`café` is cafe). So
`src/net/retry.py` is src, net, retry, py, and `retry_budget` is retry, budget. What it cannot see
is added here, before: the seam in `RetryBudget`, and the characters of scripts written without
spaces. Does no I/O.

Costs O(text), about 60 MB/s.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from unicodedata import normalize

import tantivy

from dejavu.model import Reasoning, Text, ToolCall, ToolCallResponse, Turn
from dejavu.model.json_values import strings_in
from dejavu.model.late_pattern import late_pattern, split_case

TOKENIZER = "words"
# A tool's output is long and mostly quoted files: its beginning says what it was, and the end of
# an error what went wrong. `exact` search reads all of it.
RESPONSE = 160
LONGEST = 1 << 20  # characters of a document of the index: a longer text becomes several
_OVERLAP = 400  # characters that two of them share, so that no phrase falls between
ARGUMENT = 600
LONGEST_TOKEN = 64
_LONGEST_PATH = 500
_COMBINING = late_pattern("[\u0300-\u036f]")
_BETWEEN = "\0"  # cuts words apart, and is in hardly any text

# Kana, CJK ideographs, Hangul: each character is its own token. To compile this takes 3 ms.
_UNSPACED = late_pattern("([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff])")
_PATH = re.compile(r"[^\s\"'`<>|]*[\w.-]/[^\s\"'`<>|]*|[\w-]+\.[A-Za-z]\w{0,5}")


def analyzer() -> tantivy.TextAnalyzer:
    """Tantivy's tokeniser as the index uses it."""
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    cut = builder.filter(tantivy.Filter.remove_long(LONGEST_TOKEN))
    folded = cut.filter(tantivy.Filter.lowercase()).filter(tantivy.Filter.ascii_fold())
    return folded.build()


def split_identifiers(text: str) -> str:
    """`text` with a space at every seam the tokeniser does not see, and no lone surrogate."""
    return _unspaced(split_case(text))


def split_all_identifiers(texts: Sequence[str]) -> list[str]:
    """`split_identifiers` of each of many short texts, in half the time."""
    whole = split_case(_BETWEEN.join(texts)).split(_BETWEEN)
    if len(whole) != len(texts):  # one of them has the mark in it
        whole = [split_case(text) for text in texts]
    return [text if text.isascii() else _unspaced(text) for text in whole]


def _unspaced(text: str) -> str:
    if text.isascii():
        return text
    if _COMBINING.search(text):  # an accent as its own character would cut the word
        text = normalize("NFC", text)
    # The one capital whose small letter is two characters: tantivy would keep both in one token.
    text = text.replace("\u0130", "I")
    return _UNSPACED.sub(r" \1 ", text).encode("utf-8", "replace").decode()


class SearchableText(NamedTuple):
    """What a search looks at in a turn: its text as written, tools called, files given to them."""

    text: str
    tools: list[str]
    paths: list[str]


def searchable_text(turn: Turn) -> SearchableText:
    """What of a turn is searched, in one pass over its parts."""
    pieces: list[str] = []
    tools: list[str] = []
    paths: list[str] = []
    for part in turn.parts:
        if isinstance(part, (Text, Reasoning)):  # half the cost of a union's
            pieces.append(part.content)
        elif isinstance(part, ToolCall):
            tools.append(part.name)
            pieces.append(part.name)
            for leaf in strings_in(part.arguments):
                pieces.append(leaf[:ARGUMENT])
                if len(leaf) < _LONGEST_PATH and _PATH.fullmatch(leaf):
                    paths.append(leaf)
        elif isinstance(part, ToolCallResponse):
            response = part.response
            whole = response if isinstance(response, str) else " ".join(strings_in(response))
            pieces.append(whole[:RESPONSE])
            if part.is_error:
                pieces.append(whole[max(RESPONSE, len(whole) - RESPONSE) :])
    return SearchableText("\n".join(pieces), tools, paths)


def documents_of(text: str) -> Iterator[str]:
    """A turn's text in pieces that an index takes: mostly one."""
    if len(text) <= LONGEST:
        yield text
        return
    start = 0
    while start < len(text):
        stop = start + LONGEST
        # No word is cut, unless it is no word.
        space = text.rfind(" ", stop - _OVERLAP, stop) if stop < len(text) else -1
        stop = space if space > 0 else stop
        yield text[start:stop]
        start = stop if stop >= len(text) else max(start + 1, stop - _OVERLAP)
