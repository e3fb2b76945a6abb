import time
from collections.abc import Callable

import pytest
from tests.factories.archive import Result
from tests.postgres import Server

from dejavu.archive.access import open_archive
from dejavu.model import Conversation, Role, Text, Turn


def test_a_team_is_made_and_says_what_it_runs(
    dejavu: Callable[..., Result], server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = server.new_schema()
    ann = f"ann's {schema}"
    monkeypatch.setenv("DEJAVU_ARCHIVE", server.url(schema=schema))
    assert dejavu("team", "status").code == 3  # no archive yet
    assert dejavu("sync").code == 0
    assert "off" in dejavu("team", "status").out
    assert dejavu("team", "grant", ann, "reader").code == 4  # before `init`
    printed = dejavu("team", "init", "--dry-run").out
    assert "enable row level security" in printed
    assert dejavu("team", "status", "--json").json["rights"] is False
    assert dejavu("team", "init").out == printed
    invited = dejavu("team", "invite", ann, "writer", "--instance", "ann@box")
    assert f'create role "{ann}" login;' in invited.out
    assert "dejavu_grant" in invited.out
    assert dejavu("team", "private", "/secret").code == 0
    status = dejavu("team", "status", "--json").json
    assert status["members"] == [{"role": ann, "right": "writer", "workspace": None}]
    assert status["private"] == ["/secret"]
    assert {"name": "ann@box", "owner": ann} in status["instances"]
    assert "insert member" in dejavu("team", "audit").out
    assert dejavu("team", "grant", "nobody of that name", "reader").code == 3
    for wrong in (("dance",), ("grant",), ("grant", ann), ("grant", ann, "king")):
        assert dejavu("team", *wrong).code == 2
    server.run(f'drop owned by "{ann}"; drop role "{ann}"')


def test_a_folder_is_no_team(dejavu: Callable[..., Result]) -> None:
    assert dejavu("team", "status").code == 2


def test_retention_goes_by_the_servers_clock_and_so_many_a_run(
    dejavu: Callable[..., Result], server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine whose clock is ten years ahead deletes no more than the others."""
    monkeypatch.setenv("DEJAVU_ARCHIVE", server.url(schema=server.new_schema()))
    now = time.time()
    with open_archive(write=True) as archive:
        for n, place in enumerate(("/srv/a", "/srv/a", "/srv/a", "/srv/b", "/srv/b", "/srv/b")):
            at = now - 86_400 if n == 5 else 1.6e9 + n
            turn = Turn(role=Role.USER, parts=(Text("x"),), at=at)
            made = Conversation(id=f"c{n}", agent="x", native_id=f"c{n}", workspace=place)
            archive.put(made.with_turns((turn,)))
    assert dejavu("team", "init").code == 0
    assert dejavu("team", "retention", "1y").code == 0
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + 10 * 365 * 86_400)
    first = dejavu("team", "prune", "--limit", "4", "--json").json["workspaces"]
    assert [(one["conversations"], one["remaining"]) for one in first] == [
        (["c0", "c1", "c2"], 0), (["c3"], 1),
    ]  # fmt: skip
    assert len(dejavu("team", "prune", "--dry-run", "--json").json["workspaces"]) == 1
    told = dejavu("team", "prune", "--limit", "1")
    assert told.out == "/srv/b  365 days  1 conversation deleted\n"
    assert "nothing is beyond" in dejavu("team", "prune").err
    [left] = dejavu("list", "--json").json["conversations"]
    assert left["id"] == "c5"


def test_retention_deletes_what_is_old_and_nothing_that_is_held(
    dejavu: Callable[..., Result], server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEJAVU_ARCHIVE", server.url(schema=server.new_schema()))
    with open_archive(write=True) as archive:
        for name, place, at in (
            ("old-and-held", "/srv/shop", 1.6e9), ("old", "/srv/shop", 1.6e9),
            ("new", "/srv/shop", time.time()), ("elsewhere", "/srv/blog", 1.6e9),
        ):  # fmt: skip
            turn = Turn(role=Role.USER, parts=(Text(name),), at=at)
            made = Conversation(id=name, agent="x", native_id=name, workspace=place)
            archive.put(made.with_turns((turn,)))
    assert dejavu("team", "hold", "old-and-held", "--reason", "why").code == 4  # before `init`
    assert dejavu("team", "init").code == 0
    assert "held" not in dejavu("team", "status").out
    assert dejavu("team", "prune").code == 0  # nothing was said yet
    held = dejavu("team", "hold", "old-and-held", "--reason", "Smith's case").out
    assert held == "select dejavu_hold('old-and-held', null, 'Smith''s case');\n"
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    done = dejavu("team", "hold", "elsewhere", "--reason", f"leak of {token}")
    assert "the reason is kept without 1 github: every reader sees it" in done.err
    assert token not in done.out + dejavu("team", "status").out
    assert dejavu("team", "release", "elsewhere").code == 0
    assert dejavu("team", "retention", "1y", "-w", "/srv/shop").code == 0
    status = dejavu("team", "status").out
    assert "/srv/shop  kept 365 days" in status
    assert "old-and-held  held since" in status
    looked = dejavu("team", "prune", "--dry-run", "--json").json["workspaces"]
    [one] = looked
    assert (one["conversations"], one["held"]) == (
        ["old"], [{"conversation": "old-and-held", "reason": "Smith's case"}],
    )  # fmt: skip
    done = dejavu("team", "prune")
    assert done.out == "/srv/shop  365 days  1 conversation deleted\n"
    assert "old-and-held stays, under legal hold: Smith's case" in done.err
    assert "apply retention /srv/shop" in dejavu("team", "audit").out
    assert dejavu("prune", "--workspace", "/srv/shop", "--yes", "--json").json["held"]
    assert dejavu("prune", "--turn", "old-and-held#1", "--yes").code == 4
    listed = dejavu("list", "--json").json["conversations"]
    assert {one["id"] for one in listed} == {"old-and-held", "elsewhere"}
    assert dejavu("team", "release", "old-and-held").code == 0
    assert dejavu("team", "retention", "forever", "-w", "/srv/shop").code == 0
    assert dejavu("team", "status", "--json").json["retention"] == []
    for wrong in (
        ("hold", "elsewhere"), ("hold", "--reason", "x"), ("retention", "soon"),
        ("retention",), ("release",), ("retention", "3h"),
        ("hold", "elsewhere", "-w", "/srv/blog", "--reason", "x"),
    ):  # fmt: skip
        assert dejavu("team", *wrong).code == 2, wrong
    for words in (("release", "elsewhere"), ("hold", "nothing", "--reason", "x")):
        unknown = dejavu("team", *words)
        assert unknown.code == 3
        assert "CONTEXT" not in unknown.err
    assert "\x1b" not in dejavu("team", "hold", "elsewhere", "--reason", "a\x1b[31m b").out
    assert "\x1b" not in dejavu("team", "status").out
