"""Lines cut anywhere, with the moments they came."""

from dejavu.model import Role
from dejavu.providers import STREAMS
from dejavu.providers.formats.streams.jsonl import TORN

INIT = b'{"type":"thread.started","thread_id":"t1"}\n'
SAID = b'{"type":"item.completed","item":{"id":"i%d","type":"agent_message","text":"%s"}}\n'
ASK = ["codex", "exec", "--json", "Ask"]


def parser(source_of, **facts):
    return STREAMS["codex"].parser(source_of("codex"), argv=ASK, **facts)


def take(one):
    return [turn for update in one.take() for turn in update.turns]


def test_moments_are_those_of_the_chunks(source_of):
    one = parser(source_of, started_at=90.0)
    one.feed(INIT, 0, 100.0)
    one.feed(SAID % (1, b"One"), len(INIT), 105.25)
    assert [turn.at for turn in take(one)] == [90.0, 105.25]


def test_reading_the_raw_bytes_again_gives_the_same_turns(source_of):
    one, data = parser(source_of), INIT + SAID % (1, b"One") + SAID % (2, b"Two")
    for place in range(0, len(data), 50):
        one.feed(data[place : place + 50], place, 100.0 + place)
    one.close()
    first = take(one)
    again = STREAMS["codex"].parser(source_of("codex"), one.state(), restart=True)
    again.feed(data, 0)
    again.close()
    assert take(again) == first
    assert first[1].at is not None


def test_a_chunk_that_was_lost_costs_its_torn_line_only(source_of):
    one = parser(source_of)
    one.feed(INIT + (SAID % (1, b"One"))[:20], 0)
    one.feed(SAID % (2, b"Two"), 5000)
    one.close()
    assert [turn.text for turn in take(one)] == ["Ask", "Two"]
    assert one.drift[TORN] == 1


def test_a_last_line_without_newline_counts_if_it_is_whole(source_of):
    whole, torn = parser(source_of), parser(source_of)
    whole.feed(INIT + (SAID % (1, b"One")).rstrip(), 0)
    torn.feed(INIT + (SAID % (1, b"One"))[:-4], 0)
    for one in (whole, torn):
        one.close()
    assert [turn.text for turn in take(whole)] == ["Ask", "One"]
    assert [turn.text for turn in take(torn)] == ["Ask"]
    assert torn.drift == {TORN: 1}


def test_offset_zero_starts_over(source_of):
    one = parser(source_of)
    one.feed(INIT + SAID % (1, b"One"), 0)
    take(one)
    one.feed(INIT + SAID % (1, b"Other"), 0)
    assert [turn.text for turn in take(one)] == ["Ask", "Other"]


def test_a_long_line_in_many_chunks(source_of):
    one, text = parser(source_of), b"x" * 3_000_000
    data = INIT + SAID % (1, text)
    for place in range(0, len(data), 65536):
        one.feed(data[place : place + 65536], place)
    assert take(one)[1].text == text.decode()


def test_nothing_but_a_prompt_is_a_prompt(source_of):
    one = parser(source_of)
    one.close()
    (turn,) = take(one)
    assert (turn.role, turn.text) == (Role.USER, "Ask")
