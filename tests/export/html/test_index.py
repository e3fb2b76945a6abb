import re
from datetime import UTC
from pathlib import Path
from typing import Any

from dejavu.export.html.index import as_index
from dejavu.model import Conversation


def _heads() -> list[Conversation]:
    return [
        Conversation(
            id="a1",
            agent="claude",
            workspace="/home/ada/one",
            title="First <b>",
            started_at=1e9,
            turn_count=3,
        ),
        Conversation(
            id="b2",
            agent="codex",
            workspace="/home/ada/two",
            title="",
            ended_at=1e9 + 50,
            turn_count=1,
        ),
        Conversation(
            id="c3",
            agent="amp",
            workspace="/home/ada/one",
            title="x\n\u202ey",
            ended_at=1e9 + 90,
            parent="a1",
        ),
        Conversation(id="d4", agent="amp"),
    ]


def _page(summaries: list[Conversation]) -> str:
    return "".join(
        as_index(summaries, lambda summary: f"{summary.agent}-{summary.id}.html", zone=UTC)
    )


def test_projects_and_conversations_come_newest_first() -> None:
    page = _page(_heads())
    assert re.findall(r'href="([^"#]*\.html)"', page) == [
        "amp-c3.html",
        "claude-a1.html",
        "codex-b2.html",
        "amp-d4.html",
    ]
    assert re.findall(r"<h2>([^<]*)", page) == ["one", "two", "No project"]
    assert re.findall(r'href="#(w\d)"', page) == ["w0", "w1", "w2"]


def test_titles_are_text_and_never_missing() -> None:
    page = _page(_heads())
    assert ">First &lt;b&gt;</a>" in page
    assert ">(no title)</a>" in page
    assert ">x &lt;U+202E&gt;y</a>" in page
    assert "3 conversations" not in page
    assert "4 conversations · 4 turns</p>" in page


def test_moments_are_shown_in_the_zone_asked_for() -> None:
    assert '<time datetime="2001-09-09T01:46:40.000Z">2001-09-09 01:46</time>' in _page(_heads())


def test_nothing_captured_is_said() -> None:
    assert "Nothing was captured yet." in _page([])


def test_the_index_reads_well_on_a_phone(browser: Any, axe: str, tmp_path: Path) -> None:
    summaries = [
        Conversation(
            id=f"i{n}",
            agent=("claude", "codex", "amp")[n % 3],
            workspace=f"/w/{n % 7}",
            title=f"{n} " + "x" * (n % 200),
            started_at=1e9 + n,
            turn_count=n,
        )
        for n in range(1000)
    ]
    (tmp_path / "index.html").write_text(_page(summaries))
    browser.open(tmp_path / "index.html", width=390, height=844, scripts=True)
    assert browser.complaints() == []
    assert browser.requests() == []
    assert browser.value("document.documentElement.scrollWidth") == 390
    assert browser.value(axe + ";axe.run().then(r => r.violations.map(v => v.id).join())") == ""
    # Choosing an agent needs no script.
    browser.open(tmp_path / "index.html", width=390, height=844)
    shown = (
        "new Set([...document.querySelectorAll('.rows li')].filter(e => e.checkVisibility())"
        ".map(e => e.querySelector('.agent').textContent))"
    )
    assert browser.value(f"[...{shown}].sort().join()") == "amp,claude,codex"
    browser.value("document.querySelector('#only1').labels[0].click()")
    assert browser.value(f"[...{shown}].join()") == "claude"


def test_one_agent_needs_no_choice() -> None:
    assert "<fieldset" not in _page(_heads()[:1])
    assert re.findall(r"<span>([a-zA-Z ]+)</span></label>", _page(_heads())) == [
        "All agents",
        "amp",
        "claude",
        "codex",
    ]
