import shutil
from collections.abc import Callable
from pathlib import Path

from tests.factories.archive import Result
from tests.factories.session_files import claude_session

from dejavu.providers.unread_stores import known_unread


def test_a_tree_of_homes_is_archived(dejavu: Callable[..., Result], tmp_path: Path) -> None:
    root = tmp_path / "fleet"
    for name in ("a", "b"):
        claude_session(root / name, f"one of {name}")
    done = dejavu("rescue", str(root), "--json")
    assert done.code == 0
    assert done.json["homes"] == ["a", "b"]
    assert len(done.json["conversations"]) == 2
    assert {head["instance"] for head in dejavu("list", "--json").rows} == {"a", "b"}


def test_nothing_there_is_said(dejavu: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = dejavu("rescue", str(tmp_path / "empty"))
    assert done.code == 0
    assert "no agent" in done.err
    assert dejavu("rescue", str(tmp_path / "nowhere")).code == 2


def test_a_fleet_of_containers_with_every_agent(
    dejavu: Callable[..., Result], tmp_path: Path
) -> None:
    """Each agent's home as a container's, two projects deep; then all of it once more."""
    fleet, homes = tmp_path / "fleet", Path(__file__).parents[2] / "factories" / "data" / "homes"
    unread = {agent.name for agent in known_unread()}
    agents = sorted(path.name for path in homes.iterdir() if path.name not in unread)
    for number, agent in enumerate(agents):
        shutil.copytree(homes / agent, fleet / f"project-{number % 2}" / agent / "home")
    shutil.copytree(homes / "aider", next(fleet.glob("*/amp/home")), dirs_exist_ok=True)
    done = dejavu("rescue", str(fleet), "--json")
    assert (done.code, done.json["unreadable"]) == (0, [])
    heads = dejavu("list", "--json", "--limit", "1000").rows
    assert {head["agent"] for head in heads} == set(agents)
    assert {head["instance"] for head in heads} == set(done.json["homes"])
    again = dejavu("rescue", str(fleet), "--json").json
    assert (again["sources"], again["read"]) == (done.json["sources"], 0)
    for project in fleet.iterdir():
        shutil.copytree(project, tmp_path / "copied" / f"copy-of-{project.name}")
    copied = dejavu("rescue", str(tmp_path / "copied"), "--json").json
    agent_of = {head["id"]: head["agent"] for head in dejavu("list", "--json").rows}
    assert {agent_of[name] for name in copied["conversations"]} == {"crush"}  # known by its path
    assert copied["copies"] + copied["read"] == copied["sources"]


def test_a_link_out_of_the_tree_is_not_followed(
    dejavu: Callable[..., Result], tmp_path: Path
) -> None:
    """Whose container it was may have linked an agent's folder to this machine's own."""
    claude_session(tmp_path / "mine", "one")
    root = tmp_path / "fleet"
    claude_session(root / "whole", "two")
    for name, folder in (("linked", ".claude"), ("deeper", ".claude/projects")):
        (root / name / folder).parent.mkdir(parents=True)
        (root / name / folder).symlink_to(tmp_path / "mine" / folder)
    done = dejavu("rescue", str(root), "--json")
    assert {head["instance"] for head in dejavu("list", "--json").rows} == {"whole"}
    assert done.json["unreadable"]
    assert "a link leads out of this home" in str(done.json["unreadable"])
