"""A question put to history: the prompt, what was on the screen before it, and where it is asked.

`parse_query` returns the terms that every retriever looks by. A prompt that says nothing alone
("ok, let's do that") is read with the last lines before it. Does no I/O. Costs O(text).
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from ..terms import content_stems
from .entities import entities, path_suffixes, without_folders

LINES = 20  # of what was said before the prompt
_FEW = 3  # content words below which a prompt leans on what was said before
_MOST = 48  # words of a question that are looked at
_IN_PROMPT: Final = 2.0  # what a name in the prompt counts compared with one that was said before


class Query(msgspec.Struct, frozen=True):
    """`weights` by stem, `names` by entity, `files` by place.

    uses_context: it says little alone and is read with what was said before it.
    """

    text: str
    weights: dict[str, float]
    names: dict[str, float]
    files: tuple[str, ...]
    workspace: str | None = None
    uses_context: bool = False
    dropped_terms: list[str] = msgspec.field(default_factory=list[str])

    def with_hints(
        self, names: Sequence[str], paths: Sequence[str], folders: Sequence[str]
    ) -> "Query":
        """The question with names, paths and folders that another part found in it."""
        hinted_names = dict.fromkeys((name.lower() for name in names), _IN_PROMPT)
        hinted_files = [suffix for path in paths for suffix in path_suffixes(path)[:1]]
        hinted_files += [folder.strip("/").lower() + "/" for folder in folders]
        return msgspec.structs.replace(
            self,
            names={**hinted_names, **self.names},
            files=tuple(dict.fromkeys((*self.files, *hinted_files))),
        )


def parse_query(prompt: str, *, before: Sequence[str] = (), workspace: str | None = None) -> Query:
    """The question in a prompt, with the lines said before it (the last 20 count)."""
    prompt = prompt[:8_000]
    context = "\n".join(line[:400] for line in before[-LINES:])
    own = list(dict.fromkeys(content_stems(without_folders(prompt))))
    uses_context = len(own) < _FEW and bool(context.strip())
    weights = dict.fromkeys(own, 1.0)
    if uses_context:
        # The nearer a line, the more it is what "that" means.
        for age, line in enumerate(reversed(before[-LINES:])):
            for stem in content_stems(without_folders(line[:400])):
                weights.setdefault(stem, max(0.2, 0.7 - 0.1 * age))
    names = dict.fromkeys(entities(context, 24), 1.0)
    names.update(dict.fromkeys(entities(prompt, 32), _IN_PROMPT))
    touched = [name for name in entities(prompt, 32) if "/" in name or "." in name]
    return Query(
        text=prompt if not uses_context else f"{context}\n{prompt}",
        weights=dict(list(weights.items())[:_MOST]),
        names=names,
        files=tuple(
            dict.fromkeys(suffix for name in touched for suffix in path_suffixes(name)[:1])
        ),
        workspace=workspace,
        uses_context=uses_context,
    )
