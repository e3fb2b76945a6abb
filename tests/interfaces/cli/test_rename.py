from collections.abc import Callable

from tests.factories.archive import Result

from dejavu.model import Conversation


def test_a_title_and_back(dejavu: Callable[..., Result], archived: list[Conversation]) -> None:
    name, before = archived[0].id, archived[0].title
    done = dejavu("rename", name, "Retry", "budget")
    assert (done.code, done.out, done.err) == (0, f"{name}\n", "title: Retry budget\n")
    row = dejavu("list", "--json").rows[0]
    assert (row["title"], row["agent_title"]) == ("Retry budget", before)
    assert dejavu("export", name, "--format", "md").out.startswith("# Retry budget\n")
    assert dejavu("rename", name, "--reset").code == 0
    assert dejavu("list", "--json").rows[0]["title"] == before


def test_it_is_found_by_its_new_title(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    name, agent = archived[0].id, archived[0].agent
    assert dejavu("search", "zebra").code == 3
    dejavu("rename", name, "Zebra crossing")
    for query in (["zebra"], ["crossing zebra"], ["zeb*"], ["zebra", f"agent:{agent}"]):
        hits = dejavu("search", "--json", *query).json["hits"]
        assert [(hit["conversation"], hit["title"]) for hit in hits] == [(name, "Zebra crossing")]
    assert dejavu("search", "zebra").out.startswith("Zebra crossing")
    for query in (["zebra -crossing"], ["zebra giraffe"], ["zebra", "-w", "/nowhere"]):
        assert dejavu("search", *query).code != 0
    dejavu("rename", name, "--reset")
    assert dejavu("search", "zebra").code == 3


def test_a_secret_is_not_kept(dejavu: Callable[..., Result], archived: list[Conversation]) -> None:
    secret = "ghp_" + "a1B2" * 9
    dejavu("rename", "last", f"token {secret}")
    assert secret not in dejavu("list", "--json").out
    assert "[redacted" in dejavu("list", "--json").rows[0]["title"]


def test_controls_do_not_reach_the_terminal(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    dejavu("rename", "last", "a\x1b]0;owned\x07b\nc")
    assert "\x1b" not in dejavu("list", "--json").rows[0]["title"]


def test_neither_title_nor_reset(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    assert dejavu("rename", "last").code == 2
    assert dejavu("rename", "last", "x", "--reset").code == 2
