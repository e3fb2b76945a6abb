import json
from pathlib import Path

import pytest

from dejavu.archive import Archive
from dejavu.config.paths import archive_location, config_home, private_folder
from dejavu.interfaces.command_line.app import run
from dejavu.model import Conversation, Role, Text, Turn, Usage

AT = 1_700_000_000.0


@pytest.fixture(autouse=True)
def archive(home: Path) -> None:
    location = archive_location()
    private_folder(Path(location).parent)
    with Archive.open(location) as archive:
        for number, agent in enumerate(("claude", "claude", "amp")):
            turns = (
                Turn(role=Role.USER, parts=(Text("hello"),), at=AT + number * 86_400),
                Turn(
                    role=Role.ASSISTANT,
                    parts=(Text("hi"),),
                    at=AT + number * 86_400 + 5,
                    model="m",
                    usage=Usage(input_tokens=1000, output_tokens=10),
                ),
            )
            head = Conversation(id=f"{agent}{number}", agent=agent, workspace=f"/w/{agent}")
            archive.put(head.with_turns(turns))


def test_figures_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["stats"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("3 conversations · 6 turns · 3.0k tokens read · 30 written · cost")
    assert "Agents" in out
    assert "Turns a day" in out


def test_figures_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["stats", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["total"]["input_tokens"] == 3000
    assert [(group["agent"], group["turns"]) for group in said["agents"]] == [
        ("claude", 4),
        ("amp", 2),
    ]
    assert len(said["days"]) == 3


def test_costs_in_tables_and_lists(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prices = config_home() / "prices.toml"
    private_folder(prices.parent)
    prices.write_text("[models.m]\ninput = 1000\noutput = 0\n")
    assert run(["stats", "--by", "agent"]) == 0
    assert [line.split()[-1] for line in capsys.readouterr().out.splitlines()] == [
        "cost", "~$2.00", "~$1.00", "~$3.00",
    ]  # fmt: skip
    for by in ("day", "month", "block", "model", "project", "workspace", "conversation"):
        assert run(["stats", "--by", by, "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        assert sum(row["estimated_cost"] for row in document[f"{by}s"]) == 3.0
        assert document["next"] is None
    assert run(["list", "--cost"]) == 0
    assert capsys.readouterr().out.count("~$1.00") == 3
    assert run(["list", "--cost", "--jsonl"]) == 0
    row = json.loads(capsys.readouterr().out.splitlines()[0])
    assert (row["usage"]["estimated_cost"], row["usage"]["input_tokens"]) == (1.0, 1000)


def test_filters(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["stats", "--json", "--agent", "amp"]) == 0
    assert json.loads(capsys.readouterr().out)["total"]["turns"] == 2
    assert run(["stats", "--json", "--workspace", "claude"]) == 0
    assert json.loads(capsys.readouterr().out)["total"]["conversations"] == 2
    assert run(["stats", "--json", "--since", "2023-11-15T12:00:00+00:00"]) == 0
    assert json.loads(capsys.readouterr().out)["total"]["conversations"] == 2


def test_the_page_goes_to_stdout_or_a_private_file(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run(["stats", "--html"]) == 0
    page = capsysbinary.readouterr().out
    assert page.startswith(b"<!doctype html>")
    path = tmp_path / "figures.html"
    assert run(["stats", "--html", "-o", str(path)]) == 0
    assert path.read_bytes() == page
    assert path.stat().st_mode & 0o777 == 0o600
    assert run(["stats", "--html", "-o", str(path)]) == 0  # figures are made to be made again


@pytest.mark.fault("33.E1")
def test_the_names_on_the_page_are_redacted(capsys: pytest.CaptureFixture[str]) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    turns = (
        Turn(role=Role.USER, parts=(Text("hello"),), at=AT),
        Turn(
            role=Role.ASSISTANT, parts=(Text("hi"),), at=AT, model=token,
            usage=Usage(input_tokens=10),
        ),
    )  # fmt: skip
    with Archive.open(archive_location()) as archive:
        head = Conversation(id="x", agent="claude", workspace=f"/w/{token}")
        archive.put(head.with_turns(turns))
    assert run(["stats", "--html"]) == 0
    page = capsys.readouterr().out
    assert token[4:14] not in page
    assert page.count("[redacted:github:") >= 2


def test_turns_without_a_model_are_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["stats", "--by", "model"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [row[:2] for row in rows[1:2]] == [["m", "3"]]
    assert (rows[2][:3], rows[3][:2]) == (["no", "model", "3"], ["total", "6"])
    assert run(["stats", "--by", "model", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert sum(row["turns"] for row in told["models"]) == told["total"]["turns"]


def test_a_project_is_all_its_clones_as_in_a_query(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Archive.open(archive_location()) as archive:
        for name in ("one", "two"):
            held = Conversation(id=name, agent="amp", workspace=f"/c/{name}", project="h/acme/shop")
            archive.put(held.with_turns((Turn(role=Role.USER, parts=(Text("x"),), at=AT),)))
    assert run(["stats", "--by", "project", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["projects"]
    assert {row["project"]: row["conversations"] for row in rows} == {
        "/w/claude": 2, "/w/amp": 1, "h/acme/shop": 2,
    }  # fmt: skip
    assert run(["stats", "--project", "acme/shop", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["total"]["conversations"], len(told["workspaces"])) == (2, 2)
    assert [row["project"] for row in told["projects"]] == ["h/acme/shop"]
    assert run(["stats"]) == 0
    out = capsys.readouterr().out
    assert "h/acme/shop" in out
    assert "/c/one" not in out


@pytest.mark.parametrize("options", [["--json", "--html"], ["-o", "x"], ["--measure", "joy"]])
def test_what_does_not_go_together_is_a_usage_error(options: list[str]) -> None:
    assert run(["stats", *options]) == 2
