"""`dejavu list`: the conversations, newest first.

Costs O(rows shown): summaries come from the archive's index, turns are never read. With `--cost`
also O(turns of what changed) since figures were last asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from dejavu.archive.access import NoArchiveError, open_archive
from dejavu.archive.namespace import expect_unfinished_syncs, unfinished_sync
from dejavu.export.continuation import continuations
from dejavu.model import Conversation, ConversationFilter, conversation_to_dict
from dejavu.services.marks import tag_name

from ..command_line.marked import with_marks
from ..command_line.output import (
    chosen,
    formatted,
    one_line,
    page,
    print_jsonl,
    print_list,
    print_note,
    style,
)
from ..command_line.parameters import Argument, Option
from ..command_line.terminal import on_terminal, print_lines, when, width
from ..filters import check_names, check_range, decoded, resolve_filter

if TYPE_CHECKING:
    from dejavu.archive import Archive
    from dejavu.export.stats import Figures

    from ..command_line.parameters import (
        Agent,
        Instance,
        JsonFields,
        JsonLines,
        Offset,
        Project,
        RowLimit,
        Side,
        Since,
        Starred,
        Tags,
        Template,
        Until,
        Workspace,
    )

_WIDE = 100
"""Columns from which on a project's name has its full width."""
_NARROW = 76
"""Columns below which it is left out."""
_LEAST = 12  # cells that a title has on any terminal


def command(
    words: Annotated[
        list[str] | None, Argument(metavar="WORD", help="Only titles that have these words.")
    ] = None,
    workspace: Workspace = None,
    instance: Instance = None,
    agent: Agent = None,
    since: Since = None,
    until: Until = None,
    limit: RowLimit = None,
    offset: Offset = 0,
    side: Side = False,
    project: Project = None,
    starred: Starred = False,
    tag: Tags = None,
    cost: Annotated[bool, Option("--cost", help="Add a cost column; `~` marks estimates.")] = False,
    format: Template = None,  # noqa: A002 - the option's name
    json: JsonFields = False,
    jsonl: JsonLines = False,
) -> None:
    """List conversations, newest first."""
    wanted = ConversationFilter(
        workspace=workspace, instance=instance, agent=agent, since=since, until=until, side=side,
        title=decoded(" ".join(words or ())) or None, project=project, starred=starred or None,
        tags=frozenset(map(tag_name, tag or ())),
    )  # fmt: skip
    check_range(wanted)
    most = limit or (None if json or jsonl else 50)
    following: int | None = None
    summaries: list[Conversation] = []
    chain: dict[str, str] = {}
    usage: dict[str, Figures] = {}
    captured = True
    try:
        with open_archive() as archive, archive.views.shared():
            archive.backend.read(expect_unfinished_syncs)
            scan = archive.select(
                resolve_filter(archive, wanted),
                limit=None if most is None else offset + most + 1,
            )
            summaries, following = page(most, scan, skip=offset)
            chain = continuations(archive, summaries)
            if (extent := unfinished_sync(archive.backend)) is not None:
                print_note(str(extent))
            if cost:
                usage = _usage(archive, summaries)
            if not summaries:
                check_names(archive, agent=agent, instance=instance)
    except NoArchiveError as error:
        check_names(None, agent=agent)
        print_note(f"dejavu: {error}")
        captured = False
    rows = (_document(summary, chain, usage) for summary in summaries)
    if jsonl:
        print_jsonl(rows)
    elif json:
        print_list("conversations", chosen(list(rows)), next_offset=following)
    elif format is not None:
        print_lines(formatted(list(rows), format), paged=False)
    else:
        print_lines(_table(summaries, chain, usage))
        if captured and not summaries:
            print_note(_nothing(wanted, offset))


def _nothing(wanted: ConversationFilter, offset: int) -> str:
    """What is said of an empty list."""
    rest = wanted.replace(side=True, title=None) != ConversationFilter() or offset > 0
    if wanted.title is not None:
        fits = "title of those that match" if rest else "conversation's title"
        return f"no {fits} has {wanted.title!r}; `dejavu search` looks in what was said"
    if rest:
        return "no conversation matches"
    return "the archive has no conversations; `dejavu sync` reads what your agents keep"


def _usage(archive: Archive, summaries: Sequence[Conversation]) -> dict[str, Figures]:
    """What each conversation used and cost."""
    from dejavu.export.stats import UsageCache, figures_of, load_prices

    cache, prices = UsageCache(archive, archive.root / "stats.msgpack"), load_prices()
    return {
        summary.id: figures_of(summary, cache.sums(summary, None, None), prices)
        for summary in summaries
    }


def _document(
    summary: Conversation, chain: Mapping[str, str], usage: Mapping[str, Figures]
) -> dict[str, Any]:
    document = conversation_to_dict(summary)
    if summary.id in usage:
        from msgspec import to_builtins

        document["usage"] = to_builtins(usage[summary.id])
    return {**document, "continues": chain[summary.id]} if summary.id in chain else document


def _table(
    summaries: Sequence[Conversation], chain: Mapping[str, str], usage: Mapping[str, Figures]
) -> Iterator[str]:
    """A row each, below a heading where a person reads it."""
    columns = width()
    project = 18 if columns >= _WIDE else 12 if columns >= _NARROW else 0
    for number, summary in enumerate(summaries):
        at = when(summary.ended_at or summary.started_at)
        facts = f"{at}  {one_line(summary.agent, 9):9}"
        heading = f"{'ID':{len(summary.id)}}  {'WHEN':{len(at)}}  {'AGENT':9}"
        if project:
            name = one_line(summary.place.rstrip("/").rpartition("/")[2] or "-", project)
            facts += f" {name:{project}}"
            heading += f" {'PROJECT':{project}}"
        facts += f" {summary.turn_count:5}"
        heading += " TURNS"
        if usage:
            from dejavu.export.stats import cost_text

            heading += f"  {'COST':>9}"
            facts += f"  {cost_text(usage[summary.id]) or '-':>9}"
        text = with_marks(summary)
        if summary.id in chain:
            text = f"↳ {chain[summary.id]}  {text}"
        identity = one_line(summary.id)
        title = one_line(text, max(_LEAST, columns - len(facts) - len(identity) - 4))
        if number == 0 and on_terminal():
            yield style(f"{heading}  TITLE", "1")
        yield f"{style(identity, '2')}  {facts}  {title}"
