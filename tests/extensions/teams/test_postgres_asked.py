"""What people ask in SQL: the guide's questions, columns, prices, comments, and partitions that time prunes."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.postgres import Server
from tests.team_rights import Site, made_site

from dejavu.archive import Archive
from dejavu.export.stats import load_prices
from dejavu.extensions.teams.postgres_team import Team
from dejavu.model import Conversation, Role, Text, ToolCall, ToolCallResponse, Turn, Usage

GUIDE = Path(__file__).parents[3] / "docs" / "guides" / "teams.md"
MODEL = "claude-opus-4-8"


def questions() -> list[str]:
    """The statements below the guide's heading on questions."""
    section = GUIDE.read_text("utf-8").partition("### Ten questions")[2].partition("\n## ")[0]
    return [block.strip() for block in re.findall(r"```sql\n(.*?)```", section, re.DOTALL)]


@pytest.fixture
def site(server: Server, url: str) -> Iterator[Site]:
    now = time.time() - 3_600
    with Archive.open(url) as archive:
        for host in ("ann@laptop", "ann@desk"):
            turns = (
                Turn(role=Role.USER, parts=(Text("Why does the retry budget run dry?"),), at=now),
                Turn(
                    role=Role.ASSISTANT, at=now + 1, model=MODEL, meta={"stop_reason": "tool_use"},
                    parts=(ToolCall("c1", "Edit", {"file_path": '/w/a "b".py', "old": "x"}),),
                    usage=Usage(input_tokens=1_000_000, output_tokens=10, cache_read_input_tokens=500_000),
                ),
                Turn(role=Role.TOOL, parts=(ToolCallResponse("c1", "no such file", True),), at=now + 2),
            )  # fmt: skip
            head = Conversation(
                id=f"asked {host}", agent="claude", native_id="n1", workspace="/w", instance=host,
                project="github.com/acme/shop",
            )  # fmt: skip
            archive.put(head.with_turns(turns))
    with made_site(server, url) as made:
        team = Team(url)
        team.invite(made.logins["reader"], "reader", None, "ann@laptop")
        team.close()
        yield made


def test_every_question_of_the_guide_is_answered(site: Site) -> None:
    asked = questions()
    assert len(asked) == 10
    for question in asked:
        rows = site.psql(site.logins["reader"], question.rstrip(";"))
        assert rows, question
        assert "hidden" not in str(rows)
        assert site.psql(site.logins["other"], question.rstrip(";")) == [], question


def test_columns_say_what_agents_said(site: Site) -> None:
    ask = site.psql
    reader = site.logins["reader"]
    assert ask(
        reader, "select distinct is_error from dejavu.parts where type = 'tool_call_response'"
    ) == [(True,)]
    assert ask(reader, "select distinct path from dejavu.edits") == [('/w/a "b".py',)]
    assert ask(
        reader, "select distinct finish_reason from dejavu.turns where model is not null"
    ) == [("tool_use",)]
    [(estimated, cached)] = ask(
        reader,
        "select estimated_cost, cached_tokens from dejavu.usage where model is not null limit 1",
    )
    price = load_prices().price(MODEL, None)
    assert price is not None
    assert price.cache_read is not None
    expected = 0.5 * price.input + 0.5 * price.cache_read + 10 * price.output / 1e6
    assert float(str(estimated)) == pytest.approx(expected)
    assert cached == 500_000
    assert ask(
        reader, "select project from dejavu.conversations where id like 'asked%' limit 1"
    ) == [("github.com/acme/shop",)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("retry budget", 2),
        ("Retry-Budget", 2),
        ("hidden", 0),
        ("", 0),
        ("!'\\ | &", 0),
        ("quokka", 0),
    ],
)
def test_search_by_sql(site: Site, text: str, found: int) -> None:
    wanted = text.replace("'", "''")
    rows = site.psql(
        site.logins["reader"], f"select conversation, text from dejavu.search('{wanted}')"
    )
    assert len(rows) == found
    assert site.psql(site.logins["stranger"], "select 1") == [(1,)]


def test_a_time_reads_no_other_month(server: Server, site: Site) -> None:
    plan = server.run(
        f"explain (costs off) select * from {site.schema}.dejavu_turns where at > '2026-01-01 00:00:00+00'"
    )
    assert "dejavu_turns_2023_11" not in str(plan)
    assert "dejavu_turns_20" in str(plan)
    with pytest.raises(Exception, match="dejavu_month"):
        server.run(
            f"insert into {site.schema}.dejavu_turns (conversation, seq, month, workspace, at, role, vector) "
            "select number, 99, '2023-11-01', workspace, '2024-02-01 00:00:00+00', 'user', 'native' "
            f"from {site.schema}.dejavu_conversations where id = 'others'"
        )


def test_everything_says_what_it_is_for(server: Server, site: Site) -> None:
    silent = server.run(
        "select c.relname, a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid "
        f"where c.relnamespace in ('{site.schema}'::regnamespace, '{site.views}'::regnamespace) "
        "and a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'p', 'v') and not c.relispartition "
        "and (col_description(c.oid, a.attnum) is null or obj_description(c.oid) is null) order by 1, 2"
    )
    assert silent == []
