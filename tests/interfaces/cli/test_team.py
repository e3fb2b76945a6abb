from collections.abc import Callable

import pytest
from tests.factories.archive import Result
from tests.postgres import Server


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
