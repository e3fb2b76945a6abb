"""The page of a conversation, as text and as a browser shows it.

`page.html` is the golden page; DEJAVU_GOLDEN=write rewrites it (not in CI), to be read before it
is committed.
"""

import base64
import json
import os
import re
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from dejavu.export.html.conversation import as_html
from dejavu.model import (
    Blob,
    Conversation,
    Extension,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    Usage,
    Vector,
)

GOLDEN = Path(__file__).with_name("page.html")
AT = 1_795_000_000.0


def _turn(role: Role, *parts: Any, **more: Any) -> Turn:
    return Turn(role=role, parts=tuple(Text(p) if isinstance(p, str) else p for p in parts), **more)


SMALL = Conversation(
    id="g33ox4ybk3rmtr5k", agent="claude", agent_version="2.1.295", workspace="/home/ada/upload"
).with_turns(
    (
        _turn(Role.USER, "The third retry is refused.\nWhy?", at=AT),
        _turn(
            Role.ASSISTANT,
            Reasoning("A budget of two?"),
            "Let me **look**.",
            ToolCall("c1", "Read", {"file_path": "src/retry.py"}),
            at=AT + 5,
            model="a-model",
            usage=Usage(input_tokens=18_234, output_tokens=420, cost=0.0721),
        ),
        _turn(Role.TOOL, ToolCallResponse("c1", "def tick(self):\n    ..."), at=AT + 6),
        _turn(
            Role.ASSISTANT,
            "# Found\n\n| a | b |\n|--:|---|\n| 1 | 2 |\n\n```python\nx < 1\n```",
            ToolCall(
                "c2",
                "Edit",
                {"file_path": "src/retry.py", "old_string": "a\nb", "new_string": "a\nc"},
            ),
            at=AT + 9,
        ),
        _turn(Role.TOOL, ToolCallResponse("c2", "No such file", is_error=True), at=AT + 9),
        _turn(Role.SYSTEM, Extension("claude.notice", {"level": "warn"}), vector=Vector.HOOK),
        _turn(Role.USER, "ok", at=AT + 90, vector=Vector.SCREEN),
    )
)


def _page(conversation: Conversation, **more: Any) -> str:
    return "".join(as_html(conversation, zone=UTC, **more))


def _readable(page: str) -> str:
    """The page without the style sheet, an element a line: a golden that can be reviewed."""
    without = re.sub(r"<style>.*?</style>", "<style/>", page, flags=re.DOTALL)
    elements = "article|div|details|summary|nav|main|footer|header|dl|h\\d|meta|p|pre"
    return re.sub(rf"(?<!\n)(<(?:{elements}))\b", r"\n\1", without)


def test_the_golden_page() -> None:
    now = _readable(_page(SMALL, home="index.html"))
    if os.environ.get("DEJAVU_GOLDEN") == "write" and not os.environ.get("CI"):
        GOLDEN.write_text(now)
    assert now == GOLDEN.read_text()


def test_every_turn_has_an_anchor_a_heading_and_its_provenance() -> None:
    page = _page(SMALL)
    for turn in SMALL.turns:
        (article,) = re.findall(rf'<article id="t{turn.seq}".*?</article>', page, re.DOTALL)
        assert f'<span class="vector {turn.vector}' in article
        assert f'href="#t{turn.seq}"' in article
        assert re.search(r"<h2[^>]*>\w+</h2>", article)
    assert re.findall(r'<a href="#(t\d)">', page) == ["t0", "t6"]


def test_a_badge_shows_where_it_changes_and_prompts_lead_to_one_another() -> None:
    page = _page(SMALL)
    badges = re.findall(r'<article id="(t\d)".*?<span class="vector ([a-z ]+)"', page, re.DOTALL)
    assert [place for place, kind in badges if "same" not in kind] == ["t0", "t5", "t6"]
    assert re.findall(r'href="#(t\d)" aria-label="((?:Next|Previous) prompt)"', page) == [
        ("t6", "Next prompt"),
        ("t0", "Previous prompt"),
    ]


def test_an_empty_conversation_is_still_a_page() -> None:
    page = _page(Conversation(id="x", agent="amp"))
    assert "Nothing was said" in page
    assert "<title>x</title>" in page


HOSTILE = [
    "<script>document.title='owned'</script><img src=x onerror=document.title='owned'>",
    "[click](javascript:document.title='owned') <javascript:x> [d](data:text/html,<script>)",
    "![](https://tracker.example/p.png) ![x](data:image/svg+xml;base64,PHN2Zz4=) ![](//t.example)",
    "\x1b[31mred\x1b]0;title\x07\x1b]8;;http://evil.example\x07link\x1b]8;;\x07 &#27;[2J",
    "user\u202egnp.exe\u2066 zero\u200bwidth \udc80 &#x202e;",
    "</style></script></details></article></main><style>*{display:none}</style>",
    "x" * 1_000_000,
    "> " * 10_000 + "deep",
    "\n".join("  " * n + "- nested" for n in range(2000)),
    "<!-- " + "--><base href=//evil.example><link rel=stylesheet href=//evil.example/x.css>",
    '"><meta http-equiv=refresh content="0;url=https://evil.example">',
    "[a]: javascript:x\n\n[a]\n\n<https://ok.example/>",
]


def _hostile() -> Conversation:
    turns = []
    for said in HOSTILE:
        short = said[:5000]
        turns += [
            _turn(Role.USER, said, model=short, native_id=short),
            _turn(
                Role.ASSISTANT,
                said,
                Reasoning(said),
                ToolCall(short, short, {short: said}),
                ToolCall(None, "Edit", {"old_string": said, "new_string": short}),
                Extension(short, {short: said}),
                Blob(short, said),
                Blob("image/png", said),
                Blob("image/svg+xml", "PHN2Zz4="),
                model=short,
            ),
            _turn(
                Role.TOOL,
                ToolCallResponse(short, said, True),
                ToolCallResponse(None, {short: [said]}),
            ),
        ]
    bad = HOSTILE[0] + HOSTILE[3] + HOSTILE[4] + '"'
    return Conversation(
        id=bad,
        agent=bad,
        workspace=bad,
        instance=bad,
        title=bad,
        parent=bad,
        source=bad,
        agent_version=bad,
        started_at=-1e18,
        ended_at=1e18,
    ).with_turns(tuple(turns))


def test_hostile_texts_stay_texts(tmp_path: Path, browser: Any) -> None:
    page = tmp_path / "page.html"
    page.write_text(_page(_hostile(), home='"><script>'), encoding="utf-8")
    browser.open(page, scripts=True)  # scripts on: the policy and the escaping must hold alone
    assert browser.complaints() == []
    assert browser.requests() == []
    counted = browser.value(
        "((all) => JSON.stringify({script: all('script').length, style: all('style').length,"
        "owned: document.title == 'owned', base: all('base').length, img: all('img').length,"
        "links: all('main a').map(a => a.protocol).filter(p => p != 'file:'),"
        "articles: all('main > article').length, handlers: all('*').filter(e =>"
        "[...e.attributes].some(a => a.name.startsWith('on'))).length}))"
        "(selector => [...document.querySelectorAll(selector)])"
    )
    said = json.loads(counted)
    assert set(said.pop("links")) == {"https:"}
    assert said == {
        "script": 0,
        "style": 1,
        "owned": False,
        "base": 0,
        "img": 0,
        "articles": 3 * len(HOSTILE),
        "handlers": 0,
    }
    hidden = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202e\u2066]"
    assert browser.value(f"/{hidden}/.test(document.body.textContent)") is False
    longest = "Math.max(...document.body.textContent.match(/x{9,}/g).map(run => run.length))"
    assert browser.value(longest) >= 1_000_000  # nothing is lost


_PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
_LONG = "\n".join(
    f"value_{n} = compute(value_{n - 1}, {n})  # {'a long line ' * 9}" for n in range(60)
)
EVERY = SMALL.with_turns(
    (
        *SMALL.turns,
        _turn(Role.SYSTEM, "You are careful.\n\n" + "Rules. " * 80),
        _turn(
            Role.USER, "See `this`:", Blob("image/png", _PICTURE), Blob("application/pdf", "eHh4")
        ),
        _turn(
            Role.ASSISTANT,
            f"```python\n{_LONG}\n```",
            "- 中文: 第一次\n- 日本語\n\nעברית\n\nالعربية\n\n🧑‍💻 👩🏽‍🚀\n\n"
            + "Donaudampfschiff" * 9,
            "| a | b |\n|---|---|\n| " + "wide " * 60 + "| x |\n\n> quoted\n\n---\n\n~~gone~~",
            ToolCall("c9", "Bash", {"command": "git diff"}),
        ),
        _turn(
            Role.TOOL,
            ToolCallResponse("c9", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new " + "wide " * 60),
            ToolCallResponse(None, {"rows": list(range(90))}),
        ),
    )
)


@pytest.mark.parametrize(("width", "height"), [(390, 844), (820, 1100), (1280, 900)])
@pytest.mark.parametrize("dark", [False, True])
def test_the_page_in_a_browser(
    width: int, height: int, dark: bool, browser: Any, axe: str, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    page.write_text(_page(EVERY, home="index.html"), encoding="utf-8")
    browser.open(page, width=width, height=height, dark=dark, scripts=True)
    assert browser.complaints() == []
    assert browser.requests() == []
    assert browser.value("document.documentElement.scrollWidth") == width
    found = (
        axe
        + ";axe.run().then(r => r.violations.map(v => v.id + ' ' + v.nodes[0].html).join('\\n'))"
    )
    assert browser.value(found) == ""


def test_the_page_needs_no_script_and_its_folds_open_by_keyboard(
    browser: Any, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    page.write_text(_page(SMALL))
    browser.open(page, scripts=False)
    browser.picture(tmp_path / "drawn.png")  # what is in the window is told by the first frame
    assert "Let me look." in browser.value("document.body.innerText")
    visible = (
        "document.querySelector('.reasoning .body').checkVisibility({contentVisibilityAuto: true})"
    )
    assert browser.value(visible) is False
    browser.value("document.querySelector('.reasoning summary').focus()")
    for kind in ("keyDown", "keyUp"):
        browser.call(
            "Input.dispatchKeyEvent",
            type=kind,
            key="Enter",
            code="Enter",
            text="\r",
            windowsVirtualKeyCode=13,
        )
    assert browser.value(visible) is True


def test_landmarks_and_names_for_those_who_listen(browser: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(_page(SMALL))
    browser.open(page, width=390, height=300)  # most turns are outside of the window
    browser.picture(tmp_path / "drawn.png")  # names are known once a frame was drawn
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    roles = [node["role"]["value"] for node in nodes if not node.get("ignored")]
    for role in ("banner", "main", "navigation", "contentinfo"):
        assert roles.count(role) == 1
    named = [node["name"]["value"] for node in nodes if node["role"]["value"] == "article"]
    assert named == [
        "You, turn 1",
        "Assistant, turn 2",
        "Tool, turn 3",
        "Assistant, turn 4",
        "Tool, turn 5",
        "System, turn 6",
        "You, turn 7",
    ]


def test_print_shows_everything_on_paper(browser: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(_page(SMALL))
    browser.open(page)
    browser.call("Emulation.setEmulatedMedia", media="print")
    assert browser.value("getComputedStyle(document.querySelector('nav')).display") == "none"
    height = "document.querySelector('.reasoning .body').getBoundingClientRect().height"
    assert browser.value(height) > 10
    assert base64.b64decode(browser.call("Page.printToPDF")["data"]).startswith(b"%PDF-")


def test_words_stay_whole_in_tables_and_each_paragraph_runs_its_own_way(
    browser: Any, tmp_path: Path
) -> None:
    table = "| where | retries |\n|---|--:|\n| " + "a long sentence " * 20 + " | 2 |\n"
    page = tmp_path / "page.html"
    page.write_text(
        _page(SMALL.with_turns((_turn(Role.ASSISTANT, table + "\nשלום\n\nhello"),))),
        encoding="utf-8",
    )
    browser.open(page, width=390, height=844)
    assert browser.value("document.documentElement.scrollWidth") == 390
    assert browser.value("document.querySelector('th.num, th + th').getClientRects().length") == 1
    head = "document.querySelector('th + th').getBoundingClientRect().height"
    one = "document.querySelector('th').getBoundingClientRect().height"
    assert browser.value(f"{head} === {one} && {head} < 45") is True
    right = (
        "[...document.querySelectorAll('.said > p')].map(p => { const r = document.createRange();"
        "r.selectNodeContents(p); return r.getBoundingClientRect().left > 195 })"
    )
    assert browser.value(right) == [True, False]


def test_five_thousand_turns_lay_out_like_fifty(browser: Any, tmp_path: Path) -> None:
    # Turns outside the window are not laid out: what they say has no boxes until they are near.
    long = SMALL.with_turns(SMALL.turns * 715)
    page = tmp_path / "page.html"
    page.write_text(_page(long))
    browser.open(page, scripts=True)  # for requestAnimationFrame below
    assert browser.complaints() == []
    laid_out = (
        "[...document.querySelectorAll('article > .said')]"
        ".filter(e => e.checkVisibility({contentVisibilityAuto: true})).length"
    )
    assert browser.value("document.querySelectorAll('article').length") == 5005
    assert 0 < browser.value(laid_out) < 60
    browser.value("location.hash = '#t4999'")
    top = "new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r("
    top += "document.getElementById('t4999').getBoundingClientRect().top))))"
    assert -5 <= browser.value(top) <= 900
