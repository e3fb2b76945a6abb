"""What all parsers share: cutting, states, unknown records, documents."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from dejavu.model import Relation, Role, Span, Text, Turn, conversation_id
from dejavu.providers import Kind, Source, StaleStateError
from dejavu.providers.conversation_builder import ConversationBuilder
from dejavu.providers.formats.json_lines import decode_lenient
from dejavu.providers.parsing import MAIN, DocumentParser, RecordParser, facts_of

SOURCE = Source("claude", Path("/x/s.jsonl"), "one", Kind.APPEND, "s", None)


class Words(RecordParser):
    """Each record a turn; objects with `odd` are unknown."""

    def record(self, line: memoryview, span: Span) -> None:
        thread = self.threads.setdefault(MAIN, ConversationBuilder(self.head("s")))
        value = decode_lenient(line)
        if not isinstance(value, dict) or "odd" in value:
            self.append_unknown(thread, "odd", line, span)
        else:
            thread.append(Turn(role=Role.USER, parts=(Text(value["t"]),), spans=(span,)))
        thread.freeze_before(len(thread))


class Pages(DocumentParser):
    """A document's list of words."""

    def document(self, value: Any, span: Span) -> None:
        thread = self.threads[MAIN] = ConversationBuilder(self.head("s"))
        for word in value["words"]:
            thread.append(Turn(role=Role.USER, parts=(Text(word),), spans=(span,)))


def texts(parser: RecordParser) -> list[str]:
    return [turn.text for update in parser.take() for turn in update.turns]


def test_a_line_cut_in_pieces_is_one_record() -> None:
    parser = Words(SOURCE, {})
    parser.feed(b'{"t": "a"}\n{"t"', 0)
    assert texts(parser) == ["a"]
    parser.feed(b": ", 15)
    parser.feed(b'"b"}', 17)
    (update,) = parser.take()
    assert [(turn.text, turn.spans) for turn in update.turns] == [("b", (Span(11, 10),))]


def test_offset_zero_starts_over() -> None:
    parser = Words(SOURCE, {})
    parser.feed(b'{"t": "a"}\n', 0)
    parser.take()
    parser.feed(b'{"t": "b"}\n', 0)
    (update,) = parser.take()
    assert (update.start, [turn.text for turn in update.turns]) == (0, ["b"])


def test_unknown_records_are_counted_with_their_keys_and_kept() -> None:
    parser = Words(SOURCE, {})
    parser.feed(b'{"odd": {"a": {"b": {"c": 1}}}}\nnonsense\n', 0)
    (update,) = parser.take()
    assert parser.drift == {
        "odd": 1,
        "odd odd": 1,
        "odd odd.a": 1,
        "odd odd.a.b": 1,
        "(unreadable)": 1,
    }
    assert [part.kind for turn in update.turns for part in turn.parts] == ["claude.odd"]  # type: ignore[union-attr]


def test_a_very_long_unknown_record_leaves_only_its_size() -> None:
    parser = Words(SOURCE, {})
    parser.feed(b'{"odd": "%s"}\n' % (b"x" * 100_000), 0)
    (update,) = parser.take()
    (part,) = update.turns[0].parts
    assert part.data == {"bytes": 100_011}  # type: ignore[union-attr]


def test_a_state_of_another_version_is_refused_but_its_facts_are_told() -> None:
    parser = Words(SOURCE, {"title": "A"})
    parser.feed(b'{"t": "a"}\n', 0)
    parser.take()
    state = parser.state()
    assert facts_of(state) == {"title": "A"}

    class Newer(Words):
        version = 2

    with pytest.raises(StaleStateError, match="reparse"):
        Newer(SOURCE, {}).resume(state)
    with pytest.raises(StaleStateError):
        Words(SOURCE, {}).resume(b"\xc1 no msgpack")
    with pytest.raises(StaleStateError):
        Words(SOURCE, {}).resume(msgspec.msgpack.encode(["Words/1", {}]))
    assert facts_of(b"\xc1") == {}


def test_facts_found_anew_win() -> None:
    parser = Words(SOURCE, {"title": "old", "fork_of": "x"})
    fresh = Words(SOURCE, {"title": "new"})
    fresh.resume(parser.state())
    assert fresh.facts == {"title": "new", "fork_of": "x"}


def test_heads_name_their_parent_and_keep_a_given_workspace() -> None:
    source = Source("claude", Path("/x/s.jsonl"), "one", Kind.APPEND, "s", "/given")
    parser = Words(source, {})
    head = parser.head("s", parent="p", relation=Relation.FORK, workspace="")
    assert head.parent == conversation_id("claude", "one", "p")
    assert (head.relation, head.workspace, head.instance) == (Relation.FORK, "/given", "one")
    assert parser.head("s", relation=Relation.FORK).relation is None
    thread = ConversationBuilder(head)
    parser.amend(thread, workspace="/other", title="T")
    assert (thread.head.workspace, thread.head.title) == ("/given", "T")


def test_a_damaged_document_is_read_up_to_its_damage() -> None:
    parser = Pages(SOURCE, {})
    parser.feed(b'{"words": ["a", "b"], "more": {"x": 1}, "then', 0)
    assert texts(parser) == ["a", "b"]
    assert parser.drift["(unreadable)"] == 1
    parser.feed(b'{"words": ["c"]}', 0)
    assert texts(parser) == ["c"]


def test_a_number_too_big_for_the_state_does_not_stop_it() -> None:
    parser = Words(SOURCE, {"n": 1 << 70})
    parser.feed(b'{"t": "a"}\n', 0)
    parser.take()
    resumed = Words(SOURCE, {})
    resumed.resume(parser.state())
    assert resumed.facts == {"n": str(1 << 70)}
    assert len(resumed.threads[MAIN]) == 1
