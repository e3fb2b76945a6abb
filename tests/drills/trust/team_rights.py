"""Members of a team's archive attack it on a real server: random twins and seizures.

Draws a statement about something private, as it stands or with a pattern, a query, a key or a cast of its
own, then settings of the planner, names that shadow ours, and a search path. Held means: the member learns the
same as about what is not there (rows, error, pages read), or is refused by name. A draw of time compares
the medians of both.
"""

import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests import team_attacks as attacks
from tests.postgres import Missing, Server
from tests.team_rights import Site, conversation, made_site

from dejavu.archive import Archive

from ..budget import Budget
from . import Tally

ANGLE, FINDINGS = "members of a team", ("C3", "C4", "H7")
MEMBERS = ("reader", "writer", "curator", "owner", "other", "stranger")
Twin = tuple[str, str, str]
_CASTS = ("{}", "{}::text", "cast({} as varchar)", "({} || '')", "lower({})", "coalesce({}, '')")
_EXACT = "select count(*) from dejavu_exact(current_user, {}, {}, null, null, null, null, {}, null, null, {})"
_SEARCH = (
    "select count(*) from dejavu_search(current_user, array[{}], "
    "{}, null, null, null, null, {}, null, {})"
)
_COLUMNS = {
    "dejavu_conversations": ("id", "native_id", "title"), "dejavu_parts": ("content",),
    "dejavu_links": ("conversation",), "{views}.conversations": ("id", "title"),
    "{views}.turns": ("conversation", "text"), "{views}.parts": ("conversation", "content"),
    "{views}.sessions": ("native_id", "conversation"),
}  # fmt: skip
_PREDICATES = (
    "{} = '@'",
    "{} like '%@%'",
    "{} ~ '@'",
    "starts_with({}, '@')",
    "position('@' in {}) = 1",
)
_ASKED = ("select count(*)", "select 1 / count(*)", "select exists (select", "select max({})")
_SLOWER = 3.0  # how many times as long one answer takes before time tells something
_ROUNDS = 7


def pattern(chance: random.Random) -> str:
    """A LIKE pattern with @ in it, often with an escape in a bad place."""
    pieces = ["%", "_", "@", "@", r"\\", r"\%", "0", " ", r"\\\\", "%%"]
    drawn = [chance.choice(pieces) for _ in range(chance.randint(1, 6))]
    drawn.insert(chance.randint(0, len(drawn)), "@")
    return "E'" + "".join(drawn).replace("\\", "\\\\" if chance.random() < 0.5 else "\\") + "'"


def query(chance: random.Random) -> str:
    """A tsquery with @ in it, sometimes a wrong one."""
    terms = ["@", "@:*", "0", "1", "!@", "(@ | 0)", "@ <-> 0"]
    joined = chance.choice((" & ", " | ", " <-> ", " <2> ", " "))
    return (
        "'" + joined.join(["@", *(chance.choice(terms) for _ in range(chance.randint(0, 3)))]) + "'"
    )


def twin(chance: random.Random) -> Twin:
    """A statement about `hidden`, and the same about what is not there."""
    kind = chance.random()
    if kind < 0.4:
        name = chance.choice(sorted(attacks.TWINS))
        return chance.choice(attacks.TWINS[name])
    since = chance.choice(("null", "0", "1.6e9", "'-infinity'::float8", "'nan'::float8"))
    most = chance.choice(("1", "9", "0", "-1", "2147483647"))
    if kind < 0.7:
        first, second = pattern(chance), chance.choice(("''", pattern(chance)))
        return (
            _EXACT.format(chance.choice(_CASTS).format(first), second, since, most),
            "hidden",
            "zidden",
        )
    asked = chance.choice(_CASTS[:4]).format(query(chance))
    return _SEARCH.format(asked, "null", since, most), "hidden", "zidden"


def peek(chance: random.Random, views: str) -> Twin:
    """A statement that reads a table or a view itself, about `hidden` and what is not there."""
    table = chance.choice(sorted(_COLUMNS))
    column = chance.choice(_COLUMNS[table])
    asked = chance.choice(_ASKED).format(column)
    where = chance.choice(_PREDICATES).format(chance.choice(_CASTS[:4]).format(column))
    end = ")" if "exists" in asked else ""
    return f"{asked} from {table.format(views=views)} where {where}{end}", "hidden", "zidden"


def before(chance: random.Random, possible: list[str], schema: str) -> list[str]:
    """What the member does first: settings, shadows, and a search path."""
    drawn = chance.sample(possible, chance.randint(0, min(4, len(possible))))
    if chance.random() < 0.3:
        drawn += attacks.SHADOWS
    if chance.random() < 0.4:
        path = ["pg_temp", schema, "pg_catalog"]
        chance.shuffle(path)
        drawn.append(f"set search_path = {', '.join(path)}")
    return drawn


def slower(site: Site, login: str, drawn: Twin) -> str:
    """How much longer the answer about what is private takes; empty where that tells nothing."""
    statement, private, absent = drawn
    spent: dict[str, list[float]] = {private: [], absent: []}
    for _ in range(_ROUNDS):
        for given, times in spent.items():
            start = time.perf_counter()
            attacks.ask(site, login, statement.replace("@", given))
            times.append(time.perf_counter() - start)
    first, second = (statistics.median(times) for times in spent.values())
    ratio = max(first, second) / min(first, second)
    return f"{login}: {statement}: {ratio:.1f} times as long" if ratio > _SLOWER else ""


def seizure(chance: random.Random) -> tuple[str, str]:
    """A member, and a statement that they are refused."""
    if chance.random() < 0.2:
        return chance.choice(("reader", "other", "stranger")), chance.choice(attacks.OF_WRITERS)
    statement = chance.choice(attacks.SEIZURES)
    if statement.startswith(("update", "delete", "insert")) and chance.random() < 0.5:
        returned = "returning *" if "returning" not in statement else ""
        statement = f"with it as ({statement} {returned}) select * from it"
    return chance.choice(("reader", "writer", "other", "stranger")), statement


def attack(budget: Budget, tally: Tally) -> None:
    """Draw attacks against one archive until the budget ends."""
    try:
        server = Server()
    except Missing as why:
        tally.skipped = str(why)
        return
    earlier = os.environ.get("DEJAVU_DATA_HOME")
    try:
        with tempfile.TemporaryDirectory(prefix="dejavu-drill-") as data:
            os.environ["DEJAVU_DATA_HOME"] = str(Path(data))
            with made_site(server, server.url(schema=server.new_schema())) as site:
                prepare(site)
                _draw(site, budget, tally)
    finally:
        os.environ.pop("DEJAVU_DATA_HOME", None)
        if earlier is not None:
            os.environ["DEJAVU_DATA_HOME"] = earlier
        server.stop()


def prepare(site: Site) -> None:
    """Fill both sides of a twin alike in size, so that an index or a clock would show which is which."""
    with Archive.open(site.url) as keeper:
        keeper.put(conversation("hidden", 300, "bob@box", "/secret"))
        keeper.put(conversation("open", 300, "bob@box"))
    attacks.make_twins(site)
    for table in ("dejavu_parts", "dejavu_turns", "dejavu_conversations"):
        site.server.run(f"vacuum analyze {site.schema}.{table}")


def _draw(site: Site, budget: Budget, tally: Tally) -> None:
    chance = budget.random
    possible = attacks.possible(site, site.logins["reader"], attacks.SETTINGS)
    kinds: tuple[Callable[[], str], ...] = (
        lambda: attacks.differ(
            site, site.logins[chance.choice(MEMBERS)], twin(chance), before(chance, possible, site.schema)
        ),
        lambda: attacks.differ(
            site, site.logins[chance.choice(MEMBERS)], peek(chance, site.views),
            before(chance, possible, site.schema),
        ),
        lambda: _seized(site, chance),
        lambda: slower(site, site.logins["reader"], _timed(chance)),
    )  # fmt: skip
    while budget.more():
        [kind] = chance.choices(kinds, weights=(4, 2, 3, 1))
        fell = kind()
        tally.record(not fell, f"{fell[:400]} (seed {budget.seed})")


def _seized(site: Site, chance: random.Random) -> str:
    member, statement = seizure(chance)
    return attacks.seized(site, site.logins[member], statement)


def _timed(chance: random.Random) -> Twin:
    """A twin of a search, which alone could take long."""
    if chance.random() < 0.5:
        return _SEARCH.format(query(chance), "null", "null", "9"), "hidden", "zidden"
    return _EXACT.format(pattern(chance), "''", "null", "9"), "hidden", "zidden"
