"""Figures of a team's archive: the server's sums say what the turns say, whatever changed them."""

import random
from collections.abc import Iterator
from datetime import UTC, date, tzinfo
from zoneinfo import ZoneInfo

import msgspec
import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from tests.extensions.teams.test_postgres_relations import apply, steps
from tests.postgres import Server
from tests.team_rights import Site, made_site

from dejavu.archive import Archive
from dejavu.export.stats import PriceList, UsageTotals, aggregate, load_prices, told
from dejavu.export.stats.figures import Sum, sums_of
from dejavu.export.stats.prices import Price
from dejavu.extensions.teams.postgres_rows import clean
from dejavu.extensions.teams.postgres_team import Team, upgrade
from dejavu.model import Conversation, ConversationFilter, Role, Text, Turn, Usage

TODAY = date(2026, 11, 27)
AT = 1.79e9
PRICES = PriceList(
    {
        "m": [Price(1.0, 2.0), Price(3.0, 4.0, since=date(2026, 10, 20))],
        "n": [Price(5.0, 6.0, cache_read=0.5)],
    }
)


def counted(
    archive: Archive, wanted: ConversationFilter, zone: tzinfo, prices: PriceList = PRICES
) -> UsageTotals:
    """The same from every turn."""
    pairs: list[tuple[Conversation, list[Sum]]] = []
    for summary in archive.select(wanted):
        turns = [
            turn for turn in archive.turns(summary.id) if turn.at is None or wanted.between(turn.at)
        ]
        pairs.append((summary, sums_of(turns)))
    return aggregate(pairs, zone=zone, prices=prices)


def rounded(totals: UsageTotals) -> object:
    """Totals that can be compared: dollars are added up in another order."""

    def value(one: object) -> object:
        if isinstance(one, float):
            return round(one, 8)
        if isinstance(one, str):
            return clean(one)
        if isinstance(one, dict):
            return {key: value(item) for key, item in sorted(one.items(), key=str)}
        return [value(item) for item in one] if isinstance(one, list) else one

    built = {name: getattr(totals, name) for name in totals.__struct_fields__ if name != "quarters"}
    built["blocks"] = totals.blocks()  # of which the number of conversations is not known
    return value(msgspec.to_builtins(built, str_keys=True))


def execute(server: Server, statements: str) -> None:
    """Run several statements as the keeper."""
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(statements.encode(), prepare=False)


def usage(chance: random.Random) -> Usage | None:
    if chance.random() < 0.3:
        return None
    # What was read from a cache and written to one is part of the input, as vendors have it.
    return Usage(
        input_tokens=chance.choice((9, 31_999, 32_000, 32_001, 200_000)),
        output_tokens=chance.choice((None, 7)), cache_read_input_tokens=chance.choice((None, 3)),
        cache_creation_input_tokens=4, cache_creation_1h_input_tokens=chance.choice((None, 2)),
        cost=chance.choice((None, 0.0, 0.25)),
    )  # fmt: skip


def many(seed: int, count: int) -> Iterator[Conversation]:
    chance = random.Random(seed)
    for number in range(count):
        start = AT + chance.randrange(60 * 86_400)
        turns = [
            Turn(
                role=chance.choice((Role.USER, Role.ASSISTANT)),
                parts=tuple(Text(text) for text in chance.choice(((), ("",), ("hi",), ("", "x", "y")))),
                at=chance.choice((None, start + n * 400.0, start + n * 400.0, 1.2e9)),
                model=chance.choice(("m", "n", "unknown", None)), usage=usage(chance),
                meta=chance.choice(({}, {"usage_of": "run"})),
            )
            for n in range(chance.randrange(9))
        ]  # fmt: skip
        head = Conversation(
            id=f"c{number}", agent=chance.choice(("claude", "amp")), native_id=f"n{number}",
            workspace=f"/w{chance.randrange(3)}", instance=chance.choice(("ann@box", "bob@box")),
            project=chance.choice(("", "github.com/acme/shop")) or "", title=f"title {number}",
        )  # fmt: skip
        yield head.with_turns(tuple(turns))


QUESTIONS = [
    ConversationFilter(),
    ConversationFilter(side=False, agent="amp"),
    ConversationFilter(workspace="/w1", instance="ann@box"),
    ConversationFilter(project="acme/shop"),
    ConversationFilter(since=AT + 20 * 86_400 + 123.5),
    ConversationFilter(until=AT + 20 * 86_400 + 7.25),
    ConversationFilter(since=AT + 9.5 * 86_400, until=AT + 9.5 * 86_400 + 500),
    ConversationFilter(since=900.0 * 2_000_000, until=900.0 * 2_000_010),
]


@pytest.mark.parametrize("zone", [UTC, ZoneInfo("America/New_York"), ZoneInfo("Asia/Kathmandu")])
def test_the_server_says_what_the_turns_say(url: str, zone: tzinfo) -> None:
    with Archive.open(url) as archive:
        for one in many(7, 40):
            archive.put(one)
        for wanted in QUESTIONS:
            said = told(archive, wanted, PRICES, TODAY, zone=zone)
            assert said is not None
            assert rounded(said) == rounded(counted(archive, wanted, zone)), wanted


def test_the_sums_follow_whatever_changes(server: Server, url: str) -> None:
    schema = url.rpartition("%3D")[2]
    with Archive.open(url) as archive:

        @settings(max_examples=8, suppress_health_check=list(HealthCheck), deadline=None)
        @given(steps)
        def follow(changes: list[tuple[str, str, list[str], int]]) -> None:
            for step in changes:
                apply(archive, step)
            said = told(archive, ConversationFilter(), PRICES, TODAY, zone=UTC)
            assert said is not None
            assert rounded(said) == rounded(counted(archive, ConversationFilter(), UTC))

        follow()
        kept = server.run(f"select * from {schema}.dejavu_usage order by 1, 2, 3, 4, 5")
        execute(server, f"set search_path to {schema}; select dejavu_count_usage()")
        assert server.run(f"select * from {schema}.dejavu_usage order by 1, 2, 3, 4, 5") == kept


def test_absurd_figures_stop_no_commit(url: str) -> None:
    used = Usage(input_tokens=10**30, output_tokens=-5, cost=1e308)
    turns = (
        Turn(role=Role.ASSISTANT, parts=(Text("x"),), at=9e10, model="m" * 9_000, usage=used),
    ) * 3
    with Archive.open(url) as archive:
        archive.put(Conversation(id="a", agent="x", native_id="a").with_turns(turns))
        said = told(archive, ConversationFilter(), PRICES, TODAY, zone=UTC)
        assert said is not None
        assert (said.total.turns, said.total.input_tokens, said.total.output_tokens) == (
            3,
            3 * 10**12,
            0,
        )


@pytest.fixture
def site(server: Server, url: str) -> Iterator[Site]:
    with made_site(server, url) as made:
        yield made


def test_a_member_counts_what_they_may_read(site: Site) -> None:
    seen = {}
    for login in ("reader", "other"):
        with site.archive(site.logins[login]) as archive:
            said = told(archive, ConversationFilter(), PRICES, TODAY, zone=UTC)
            assert said is not None
            assert rounded(said) == rounded(counted(archive, ConversationFilter(), UTC))
            seen[login] = sorted(said.workspaces)
    assert seen == {"reader": ["/w"], "other": []}
    team = Team(site.url)
    team.set_private("/w", hidden=True)
    team.close()
    with site.archive(site.logins["reader"]) as archive:
        said = told(archive, ConversationFilter(), PRICES, TODAY, zone=UTC)
        assert said is not None
        assert said.total.turns == 0
    with pytest.raises(Exception, match="permission denied"):
        site.psql(site.logins["owner"], "select * from dejavu_usage")


def test_an_upgrade_counts_what_was_there(server: Server, url: str) -> None:
    schema = url.rpartition("%3D")[2]
    with Archive.open(url) as archive:
        for one in many(3, 12):
            archive.put(one)
        kept = server.run(f"select * from {schema}.dejavu_usage order by 1, 2, 3, 4, 5")
    triggers = {
        "dejavu_parts": ("prompts_added",), "dejavu_turns": ("usage_added", "usage_gone", "usage_emptied"),
    }  # fmt: skip
    gone = "".join(
        f"drop trigger dejavu_{name} on {table}; "
        for table, names in triggers.items()
        for name in names
    )
    comment = "comment on table dejavu_records is 'dejavu schema 7 readers 7 reached 13'"
    execute(
        server, f"set search_path to {schema}; drop table dejavu_usage cascade; {gone}{comment}"
    )
    with Archive.open(url) as archive:
        assert told(archive, ConversationFilter(), PRICES, TODAY, zone=UTC) is None
    upgrade(url, dry_run=False)
    assert kept
    assert server.run(f"select * from {schema}.dejavu_usage order by 1, 2, 3, 4, 5") == kept


def test_the_shipped_prices_give_the_same(url: str) -> None:
    prices = load_prices()
    models = ("claude-sonnet-4-5", "gpt-5", "claude-opus-4-8")
    with Archive.open(url) as archive:
        for number, one in enumerate(many(11, 12)):
            turns = tuple(
                msgspec.structs.replace(turn, model=models[number % 3]) for turn in one.turns
            )
            archive.put(one.with_turns(turns))
        said = told(archive, ConversationFilter(), prices, TODAY, zone=UTC)
        assert said is not None
        assert rounded(said) == rounded(counted(archive, ConversationFilter(), UTC, prices))
        assert said.total.estimated_cost > 0
