"""One conversation as one self-contained page: nothing to run, nothing to fetch.

A turn is an article with an anchor (`#t12`), a heading, a badge that says how it was captured, and
its parts. O(turns); one turn in memory at a time.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import tzinfo

from markupsafe import Markup

from dejavu.model import Conversation, Role, Turn, Vector, to_iso
from dejavu.model.conversation import turn_number
from dejavu.model.plural import counted
from dejavu.redact.sanitise import sanitise

from .code import Colours
from .document import document, fingerprint
from .format import amount, duration, local, money
from .markup import join, line, tag
from .parts import as_element

_SPEAKER = {
    Role.USER: "You",
    Role.ASSISTANT: "Assistant",
    Role.TOOL: "Tool",
    Role.SYSTEM: "System",
}
_VECTOR = {
    Vector.NATIVE: "read from the agent's own session files",
    Vector.STREAM: "read from the agent's machine-readable output",
    Vector.HOOK: "reported by a hook inside the agent",
    Vector.OTLP: "reported by the agent's telemetry",
    Vector.WIRE: "seen on the way between the agent and its model",
    Vector.SCREEN: "read off the terminal's screen; words may be missing or out of place",
}
_LISTED = 8
"""Prompts listed unfolded at the top of the page."""
_COLOURED = 1_000_000
"""Characters of code that a whole page colours: some 2 s of CPU and 4 MB at most."""
_SERVED = 100_000
"""Characters of code that a part of a conversation colours when it is served."""
_GO_ON = (Role.ASSISTANT, Role.TOOL)


def as_html(
    conversation: Conversation,
    *,
    home: str | None = None,
    revision: int | str = 0,
    zone: tzinfo | None = None,
) -> Iterator[str]:
    """The page of `conversation`, to be written as UTF-8.

    home: a link to the index, where there is one. revision: see `fingerprint`. zone: for the times
    shown (None: this machine's).
    """
    mark = fingerprint(conversation, revision)
    yield from document(_title(conversation), _body(conversation, home, zone), mark=mark)


def articles(
    turns: Iterable[Turn], workspace: str = "", *, zone: tzinfo | None = None
) -> Iterator[Markup]:
    """Some turns of a conversation as they stand in its page, for a page of another frame."""
    return _articles(turns, {}, workspace, zone, Colours(_SERVED))


def _articles(
    turns: Iterable[Turn],
    steps: Mapping[int, Markup],
    workspace: str,
    zone: tzinfo | None,
    colours: Colours,
) -> Iterator[Markup]:
    before: Turn | None = None
    for turn in turns:
        said = join(as_element(part, turn, workspace, colours) for part in turn.parts)
        yield _turn(turn, before, steps.get(turn.seq), said, zone)
        before = turn


def _title(conversation: Conversation) -> str:
    return sanitise(conversation.title, newlines=False).strip() or conversation.id


def _body(conversation: Conversation, home: str | None, zone: tzinfo | None) -> Iterator[Markup]:
    yield tag(
        "header",
        home and tag("p", tag("a", "All conversations", href=home), class_="up"),
        tag("h1", line(_title(conversation), 200)),
        _facts(conversation, zone),
    )
    prompts = [
        (turn.seq, prompt)
        for turn in conversation.turns
        if turn.role is Role.USER and (prompt := turn.text.strip())
    ]
    if len(prompts) > 1:
        yield _prompts(prompts)
    steps = _steps([seq for seq, _ in prompts])
    yield Markup('<main id="main">\n')
    colours = Colours(_COLOURED)
    yield from _articles(conversation.turns, steps, conversation.workspace, zone, colours)
    if not conversation.turns:
        yield tag("p", "Nothing was said in this conversation.")
    yield Markup("</main>\n")
    yield _footer(conversation)


def _facts(conversation: Conversation, zone: tzinfo | None) -> Markup:
    usages = [turn.usage for turn in conversation.turns if turn.usage is not None]
    read = sum(usage.input_tokens or 0 for usage in usages)
    written = sum(usage.output_tokens or 0 for usage in usages)
    cost = sum(usage.cost or 0.0 for usage in usages)
    models = dict.fromkeys(turn.model for turn in conversation.turns if turn.model)
    began, ended = conversation.started_at, conversation.ended_at
    facts: list[tuple[str, str | None]] = [
        ("Agent", " ".join(filter(None, (conversation.agent, conversation.agent_version)))),
        ("Model", ", ".join(models)),
        ("Folder", conversation.workspace),
        ("Instance", conversation.instance if conversation.instance != "local" else ""),
        ("When", None if began is None else _time(began, zone)),
        ("Lasted", duration(ended - began) if began and ended and ended - began >= 60 else ""),
        ("Turns", f"{len(conversation.turns):,}"),
        ("Tokens", f"{amount(read)} in, {amount(written)} out" if read or written else ""),
        ("Cost", money(cost) if cost else ""),
        ("Starred", "★" if conversation.starred else ""),
        ("Tags", ", ".join(conversation.tags)),
        (str(conversation.relation or "From").capitalize(), conversation.parent),
    ]
    return tag(
        "dl",
        *(
            tag(
                "div",
                tag("dt", name),
                tag("dd", value if isinstance(value, Markup) else line(value)),
            )
            for name, value in facts
            if value
        ),
        class_="facts",
    )


def _time(at: float, zone: tzinfo | None, form: str = "%Y-%m-%d %H:%M") -> Markup:
    moment = local(at, zone)
    iso = to_iso(moment.timestamp())
    return tag("time", moment.strftime(form), datetime=iso, title=moment.isoformat(" ", "seconds"))


def _prompts(prompts: list[tuple[int, str]]) -> Markup:
    items = (
        tag("li", tag("span", str(turn_number(seq))), tag("a", line(prompt, 110), href=f"#t{seq}"))
        for seq, prompt in prompts
    )
    return tag(
        "nav",
        tag(
            "details",
            tag("summary", counted(len(prompts), "prompt")),
            tag("ol", join(items)),
            open=len(prompts) <= _LISTED,
        ),
        aria_label="Prompts",
    )


def _steps(prompts: list[int]) -> dict[int, Markup]:
    """For each prompt, links to the one before and the one after."""

    def step(seq: int | None, sign: str, name: str) -> Markup | None:
        if seq is None:
            return None
        return tag("a", sign, href=f"#t{seq}", aria_label=name, title=name)

    ways = zip([None, *prompts], prompts, [*prompts[1:], None], strict=False)
    return {
        seq: join((step(up, "↑", "Previous prompt"), step(down, "↓", "Next prompt")), " ")
        for up, seq, down in ways
    }


def _turn(
    turn: Turn, before: Turn | None, steps: Markup | None, said: Markup, zone: tzinfo | None
) -> Markup:
    """One turn; an answer that continues says its speaker only to those who listen.

    The badge of a turn that was captured as the one before it shows when it is pointed at.
    """
    goes_on = before is not None and turn.role in _GO_ON and before.role in _GO_ON
    same = before is not None and turn.vector is before.vector
    name = _SPEAKER[turn.role]
    anchor, number = f"t{turn.seq}", turn_number(turn.seq)
    return tag(
        "article",
        tag(
            "div",
            tag("h2", name, class_="sr" if goes_on else None),
            _time(turn.at, zone, "%H:%M:%S") if turn.at is not None and not goes_on else None,
            tag(
                "a",
                f"#{number}",
                href=f"#{anchor}",
                aria_label=f"Link to turn {number}",
            ),
            steps,
            tag(
                "span",
                turn.vector.label,
                class_=f"vector {turn.vector}{' same' if same else ''}",
                title=_VECTOR[turn.vector],
            ),
            class_="by",
        ),
        tag("div", said, class_="said"),
        "\n",
        id=anchor,
        class_=f"{turn.role}{' more' if goes_on else ''}",
        # Not by its heading: what is outside of the window has no name to lend.
        aria_label=f"{name}, turn {number}",
    )


def _footer(conversation: Conversation) -> Markup:
    vectors = sorted({turn.vector for turn in conversation.turns}, key=lambda vector: vector.rank)
    legend = join(
        join(
            (
                tag("dt", tag("span", vector.label, class_=f"vector {vector}")),
                tag("dd", _VECTOR[vector]),
            )
        )
        for vector in vectors
    )
    return tag(
        "footer",
        tag("dl", legend) if vectors else None,
        tag("p", "Conversation ", tag("code", conversation.id), ", kept by Déjà Vu."),
    )
