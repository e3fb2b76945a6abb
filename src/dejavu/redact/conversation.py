"""Conversations, turns and JSON values with every text in them redacted; a redactor that counts.

Pure. O(text). Everything that is taken out of the archive goes through here: exports, the
clipboard, answers to agents. A value is read together with its name (`{"password": "..."}`), because
nothing else gives a password away; keys of objects are texts too. A secret may be split over texts:
those of a turn, and of turns that follow each other, are read together as well (`split_secrets.py`).
"""

import base64
import binascii
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

import msgspec

from dejavu.model import (
    Blob,
    Conversation,
    Extension,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    is_json_array,
    is_json_object,
)
from dejavu.model.json_values import map_strings

from .encoded_secrets import mark_encoded
from .known_secrets import Seen
from .pairs import companions_apart, paired_ids, with_ids_around
from .random_runs import has_high_entropy
from .split_secrets import mark_split, replaced_in

_MARKER = re.compile(r"\[redacted:([a-z0-9-]+):([0-9a-f]{8})\]")
_NAMED = 4096  # characters of a value that is read with its name; longer ones are no passwords
_NAMES = ("name", "key", "variable")
"""Fields that name the value next to them, as in `{"name": "DB_PASSWORD", "value": "..."}`."""
_CUT_START = re.compile(r"\s*…\s*([A-Za-z0-9+/_=.~-]{10,})")
_CUT_END = re.compile(r"([A-Za-z0-9+/_=.~-]{10,})\s*…\s*\Z")
_FOLDER_SIGN = re.compile(r"[^A-Za-z0-9]")
_TITLE = 79
"""Characters from which a title may be a first prompt that was cut."""
_TEXTUAL = re.compile(r"text/|application/(?:[a-z.+-]*(?:json|xml|yaml|toml)|x-sh)")

Redact = Callable[[str], str]

NEAR = 8
"""Turns over which a secret that is split is found; who redacts a few turns reads as many around them."""
_BATCH = 32  # turns that are read together
OPENING = 8
"""Turns of which one may have given a conversation its title."""


class CountingRedactor:
    """Redacts, and counts what was replaced, by kind; not to be shared between threads."""

    def __init__(self, redact: Redact) -> None:
        self._redact = redact
        self.counts: Counter[str] = Counter()
        """Replacements made, by the name of the rule."""

    def redact(self, text: str) -> str:
        """Return the text redacted."""
        clean = self._redact(text)
        if clean != text:
            self.counts.update(kind for kind, _ in _MARKER.findall(clean))
            self.counts.subtract(kind for kind, _ in _MARKER.findall(text))
        return clean

    def excerpt(self, text: str, *, forms: bool = False) -> str:
        """Return an excerpt redacted, also where its ends (marked `…`) may cut a secret.

        forms: see `redact_value`; a prompt does not wait for that.
        No rule knows half a token, so a run next to a cut that looks random is removed.
        """
        return without_cut_runs((_judged(self.redact) if forms else self.redact)(text))

    @property
    def total(self) -> int:
        """How many replacements were made."""
        return max(0, self.counts.total())

    def summary(self) -> str:
        """Return the counts for people: `2 aws-access-key, 1 github`; empty for none."""
        return counted_kinds(self.counts)


def counted_kinds(counts: Counter[str]) -> str:
    """Return counts for people, the most frequent first."""
    return ", ".join(f"{count} {kind}" for kind, count in counts.most_common() if count > 0)


def without_cut_runs(text: str) -> str:
    """Return an excerpt without what may be the rest of a secret next to its `…`."""
    end = _CUT_END.search(text) if text.rstrip().endswith("…") else None
    if end is not None and has_high_entropy(end[1]):
        text = f"{text[: end.start()]}…"
    start = _CUT_START.match(text)
    return f"…{text[start.end() :]}" if start is not None and has_high_entropy(start[1]) else text


def marks(text: str) -> list[tuple[str, str]]:
    """Return kind and digest of every replacement in a text."""
    return _MARKER.findall(text)


def values_of(turn: Turn) -> list[Any]:
    """Return the texts and JSON values of a turn that may hold a secret."""
    values: list[Any] = [turn.meta] if turn.meta else []
    for part in turn.parts:
        match part:
            case Text(content=content) | Reasoning(content=content):
                values.append(content)
            case ToolCall(arguments=arguments):
                values.append(arguments)
            case ToolCallResponse(response=response):
                values.append(response)
            case Extension(data=data):
                values.append(data)
            case Blob():
                values.append(_text_in(part))
    return values


def redact_turn(turn: Turn, redact: Redact, *, forms: bool = True) -> Turn:
    """Return a turn with every text in it redacted; the very turn where nothing changes.

    forms: see `redact_value`; a screen was read in all of them.
    """
    return next(redact_turns([turn], redact) if forms else _each_redacted([turn], redact, redact))


def redact_turns(turns: Iterable[Turn], redact: Redact) -> Iterator[Turn]:
    """Yield turns that follow each other with every text in them redacted, as `redact_turn` does.

    A secret is found that is split over up to `NEAR` turns, or whose id is in one of them. What one turn
    shows to be a secret goes from those that are read with it and from those behind it.
    """
    from .engine import PAIRED  # the rules, which most who import this module do not need

    clean = _each_redacted(turns, redact, _judged(redact))
    for turn, ids in with_ids_around(clean, lambda turn: paired_ids(_texts_of(turn), PAIRED), NEAR):
        each = partial(companions_apart, ids=ids, redact=redact)
        yield _with_texts(turn, each) if ids else turn


def _each_redacted(turns: Iterable[Turn], redact: Redact, judge: Redact) -> Iterator[Turn]:
    """Yield turns without the secrets that their texts show, and without those that other turns have shown."""
    source = iter(turns)
    seen = Seen()
    batch = list(islice(source, _BATCH))
    before: list[Turn] = []
    while batch:
        after = list(islice(source, _BATCH))
        window = [*before, *batch, *after[:NEAR]]
        marked = _marked(window, redact)[len(before) : len(before) + len(batch)]
        cleaned = [
            _redact_turn(turn, clean, judge) for turn, clean in zip(batch, marked, strict=True)
        ]
        for turn, clean in zip(batch, cleaned, strict=True):
            pairs = zip(_texts_of(turn), _texts_of(clean), strict=True) if clean is not turn else ()
            seen.learn(value for text, mark in pairs for value in replaced_in(text, mark))
        yield from (_with_texts(turn, seen.replaced) for turn in cleaned) if seen else cleaned
        before, batch = [*before, *batch][-NEAR:], after


def _marked(turns: Sequence[Turn], redact: Redact) -> list[Turn]:
    """Return the turns with what is split over their texts replaced."""
    texts = [text for turn in turns for text in _texts_of(turn)]
    marked = mark_split(texts, redact)
    if marked == texts:
        return list(turns)
    left = iter(marked)
    return [_map_strings(turn, lambda _: next(left)) for turn in turns]


def _with_texts(turn: Turn, each: Redact) -> Turn:
    """Return a turn with `each` applied to its texts; the very turn where nothing changes."""
    changed = _map_strings(turn, each)
    return turn if changed == turn else changed


def _texts_of(turn: Turn) -> list[str]:
    texts: list[str] = []

    def collect(text: str) -> str:
        texts.append(text)
        return text

    _map_strings(turn, collect)
    return texts


def _map_strings(turn: Turn, each: Redact) -> Turn:
    """Return a turn with `each` applied to its texts, in order."""
    parts = tuple(_with_part_texts(part, each) for part in turn.parts)
    return msgspec.structs.replace(turn, parts=parts, meta=map_strings(turn.meta, each))


def _with_part_texts(part: Part, each: Redact) -> Part:
    match part:
        case Text(content=content):
            return Text(each(content))
        case Reasoning(content=content):
            return Reasoning(each(content))
        case ToolCall(id=call, name=name, arguments=arguments):
            return ToolCall(call, name, map_strings(arguments, each))
        case ToolCallResponse(id=call, response=response, is_error=failed):
            return ToolCallResponse(call, map_strings(response, each), failed)
        case Extension(kind=kind, data=data):
            return Extension(kind, map_strings(data, each))
        case Blob():
            return part


def _redact_turn(turn: Turn, marked: Turn, redact: Redact) -> Turn:
    """Return a turn redacted text by text; `marked`: with what is split replaced."""
    original, turn = turn, marked
    parts = tuple(redact_part(part, redact) for part in turn.parts)
    meta = _redact_value(turn.meta, redact) if turn.meta else turn.meta
    model = turn.model and redact(turn.model)
    if parts == original.parts and meta == original.meta and model == original.model:
        return original
    return msgspec.structs.replace(turn, parts=parts, meta=meta, model=model)


def _judged(redact: Redact) -> Redact:
    """Return what redacts a text in its other forms, and then as it is: a mark would part a form."""
    return lambda text: redact(mark_encoded(text, redact))


def redact_conversation(conversation: Conversation, redact: Redact) -> Conversation:
    """Return a conversation with every text in it redacted."""
    turns = tuple(redact_turns(conversation.turns, redact))
    workspace = redact(conversation.workspace)
    return msgspec.structs.replace(
        conversation,
        title=redact_title(conversation.title, redact, zip(conversation.turns, turns, strict=True)),
        tags=tuple(map(redact, conversation.tags)),
        agent_title=conversation.agent_title and redact_title(conversation.agent_title, redact),
        workspace=workspace,
        project=redact(conversation.project),
        source=conversation.source
        and redact(_without_folder(conversation.source, conversation.workspace, workspace)),
        turns=turns,
    )


def _without_folder(source: str, workspace: str, clean: str) -> str:
    """Return a path without what was replaced in the workspace: agents name folders after that."""
    for secret, label in replaced_in(workspace, clean):
        source = source.replace(_FOLDER_SIGN.sub("-", secret), label)
    return source


def redact_title(title: str, redact: Redact, turns: Iterable[tuple[Turn, Turn]] = ()) -> str:
    """Return a title redacted, also where it is a prompt that was cut inside a secret.

    turns: those that it may be a line of, as they are and redacted: what goes there goes here, too, though
    the title alone does not show it.
    """
    for turn, clean_turn in islice(turns, OPENING):
        if title and clean_turn is not turn:
            for secret, label in replaced_in(turn.text, clean_turn.text):
                title = title.replace(secret.partition("\n")[0], label) if secret.strip() else title
    clean = redact(title)
    if len(title) < _TITLE and not title.endswith("…"):
        return clean
    if clean.endswith("…"):
        return without_cut_runs(clean)
    return without_cut_runs(f"{clean}…").removesuffix("…")


def redact_part(part: Part, redact: Redact) -> Part:
    """Return a part with every text in it redacted."""
    match part:
        case Text(content=content):
            return Text(redact(content))
        case Reasoning(content=content):
            return Reasoning(redact(content))
        case ToolCall(id=call, name=name, arguments=arguments):
            return ToolCall(call and redact(call), redact(name), _redact_value(arguments, redact))
        case ToolCallResponse(id=call, response=response, is_error=failed):
            return ToolCallResponse(call and redact(call), _redact_value(response, redact), failed)
        case Extension(kind=kind, data=data):
            return Extension(kind, _redact_value(data, redact))
        case Blob():
            return _redact_blob(part, redact)


def redact_value(value: Any, redact: Redact, name: str = "", *, forms: bool = True) -> Any:
    """Return a JSON value with every text in it redacted, keys included.

    name: the key or setting that holds the value. forms: whether to look for secrets in other forms, too.
    """
    texts: list[str] = []

    def collect(text: str) -> str:
        texts.append(text)
        return text

    map_strings(value, collect)
    marked = mark_split(texts, redact)
    if marked != texts:
        left = iter(marked)
        value = map_strings(value, lambda _: next(left))
    return _redact_value(value, _judged(redact) if forms else redact, name)


def _redact_value(value: Any, redact: Redact, name: str = "") -> Any:
    if isinstance(value, str):
        return _redact_named(value, redact, name)
    if is_json_array(value):
        return [_redact_value(item, redact, name) for item in value]
    if is_json_object(value):
        sibling = _sibling_name(value)
        return {
            redact(key): _redact_value(item, redact, sibling if key == "value" and sibling else key)
            for key, item in value.items()
        }
    return value


def texts_in(value: Any, name: str = "") -> Iterator[str]:
    """Yield the texts of a JSON value as `redact_value` reads them, each once, keys included."""
    if isinstance(value, str):
        inner = _json_in(value)
        if inner is not None:
            yield from texts_in(inner, name)
        else:
            named = name and 0 < len(value) <= _NAMED and "\n" not in value
            yield f"{name}: {value}" if named else value
    elif is_json_array(value):
        for item in value:
            yield from texts_in(item, name)
    elif is_json_object(value):
        sibling = _sibling_name(value)
        for key, item in value.items():
            yield key
            yield from texts_in(item, sibling if key == "value" and sibling else key)


def _json_in(text: str) -> Any:
    """Return the value that a text is the JSON of, where escapes may hide something; else None."""
    if "\\" not in text or text[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _redact_named(text: str, redact: Redact, name: str) -> str:
    """Return a text redacted, read behind its name where it is short enough for a value.

    A text that is JSON is read as JSON: an escape next to a token hides it from its rule.
    """
    inner = _json_in(text)
    if inner is not None and (clean_inner := redact_value(inner, redact)) != inner:
        return redact(json.dumps(clean_inner, ensure_ascii=False))
    if name and 0 < len(text) <= _NAMED and "\n" not in text:
        lead = f"{name}: "
        clean = redact(lead + text)
        for named in (lead, redact(lead)):  # a name may be an id, whose secret the value is
            if clean.startswith(named):
                return clean[len(named) :]
    return redact(text)


def _sibling_name(value: dict[str, Any]) -> str:
    names: Iterable[Any] = (value.get(field) for field in _NAMES)
    return next((name for name in names if isinstance(name, str)), "")


def _redact_blob(blob: Blob, redact: Redact) -> Blob:
    """Return an attachment redacted where it is a text; pictures and sounds stay as they are."""
    text = _text_in(blob)
    clean = redact(text)
    if clean == text:
        return blob
    content = base64.b64encode(clean.encode("utf-8", "surrogateescape")).decode("ascii")
    return Blob(blob.mime_type, content, blob.modality)


def _text_in(blob: Blob) -> str:
    """Return the text of an attachment; empty where it is none."""
    if not _TEXTUAL.match(blob.mime_type or ""):
        return ""
    try:
        return base64.b64decode(blob.content, validate=False).decode("utf-8", "surrogateescape")
    except (binascii.Error, ValueError):
        return ""
