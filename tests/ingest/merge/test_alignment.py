from hypothesis import given
from hypothesis import strategies as st

from dejavu.ingest.merge import alignment
from dejavu.ingest.merge.alignment import align, to_exchanges
from dejavu.ingest.merge.merge_turns import normalise
from dejavu.model import Role, Text, Turn


def talk(*said: tuple[str, str, float | None]) -> list[Turn]:
    turns: list[Turn] = []
    for prompt, answer, at in said:
        if prompt:
            turns.append(Turn(role=Role.USER, parts=(Text(prompt),), at=at))
        if answer:
            turns.append(Turn(role=Role.ASSISTANT, parts=(Text(answer),), at=at))
    return turns


def places(ours: list[Turn], theirs: list[Turn]) -> list[int | None]:
    return align(to_exchanges(ours, normalise), to_exchanges(theirs, normalise))


def test_a_repeated_prompt_is_known_by_its_moment() -> None:
    ours = talk(("go on", "", 10.0), ("go on", "", 500.0))
    assert places(ours, talk(("go on", "", 501.0))) == [1]


def test_the_same_prompt_long_after_is_another() -> None:
    assert places(talk(("go on", "", 10.0)), talk(("go on", "", 5000.0))) == [None]


def test_a_long_answer_outweighs_a_clock_that_is_wrong() -> None:
    answer = "because the budget is never refilled on Mondays"
    assert places(talk(("why", answer, 0.0)), talk(("why", answer, 9e9))) == [0]


def test_without_moments_the_answer_tells_which() -> None:
    ours = talk(("go on", "one", None), ("go on", "two", None))
    assert places(ours, talk(("go on", "two", None))) == [1]


def test_an_id_tells_although_the_words_changed() -> None:
    one, other = (
        to_exchanges([Turn(role=Role.USER, parts=(Text(text),), native_id="p1")], normalise)
        for text in ("/review", "Review the change, please")
    )
    assert align(one, other) == [0]


def test_what_was_not_asked_in_the_trace_is_known_by_its_answer() -> None:
    assert places(talk(("why", "so", None), ("how", "thus", None)), talk(("", "thus", None))) == [1]
    assert places(talk(("why", "so", None)), talk(("", "otherwise", None))) == [None]


def test_long_ones_are_matched_too() -> None:
    ours = talk(*((f"p{n}", f"a{n}", None) for n in range(600)))
    theirs = talk(*((f"p{n}", f"b{n}", None) for n in range(1, 600, 2)))
    assert (
        len(to_exchanges(ours, normalise)) * len(to_exchanges(theirs, normalise)) <= alignment._MOST
    )
    assert places(ours, theirs) == list(range(1, 600, 2))
    more = talk(*((f"p{n}", f"b{n}", None) for n in range(600)))
    assert places(ours, more) == list(range(600)), "past the table's size: the first that fits"


_said = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(["", "x", "y"]), st.none()), max_size=7
)


@given(_said, _said)
def test_matches_never_cross_and_are_as_many_as_can_be(
    ours: list[tuple[str, str, float | None]], theirs: list[tuple[str, str, float | None]]
) -> None:
    found = places(talk(*ours), talk(*theirs))
    met = [place for place in found if place is not None]
    assert met == sorted(set(met))
    assert all(
        ours[place][0] == theirs[at][0] for at, place in enumerate(found) if place is not None
    )
    table = [[0] * (len(ours) + 1) for _ in range(len(theirs) + 1)]
    for i, (asked, _, _) in enumerate(theirs):
        for j, (prompt, _, _) in enumerate(ours):
            table[i + 1][j + 1] = max(
                table[i][j + 1], table[i + 1][j], table[i][j] + (asked == prompt)
            )
    assert len(met) == table[-1][-1]
