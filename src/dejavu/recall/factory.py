"""Memory and recall as the operator set them up, for the interfaces that people and agents ask.

The commands of `[recall]` in `config.toml` are set up here. Hooks do not use this: nothing
configured may stand in a prompt's way. O(1), but reading the file.
"""

import os
import shlex
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from dejavu.archive import Archive
from dejavu.archive.access import full_workspace
from dejavu.config.projects import project_of
from dejavu.config.settings import load_config
from dejavu.model import ConfigError, NotFoundError

from . import Classifier, Memory, Neo4j, Recall, Reranker, SearchHelpers
from .history import minilm
from .history.embedder import command_embedder
from .history.score_fusion import Merging


def open_memory(archive: Archive) -> Memory:
    """The memories; by `DEJAVU_EMBED_COMMAND`, or `embed` of the settings, where one is set.

    Else by the model of the `semantic` extra, where that is installed and `vectors` is on.

    Raises:
        ConfigError: the settings cannot be read.
    """
    config = load_config()
    settings, project = config.recall, partial(project_of, named=config.projects)
    command = os.environ.get("DEJAVU_EMBED_COMMAND") or settings.embed
    if command:
        return Memory(archive, embed=command_embedder(command), project_of=project)
    if settings.vectors and minilm.is_installed():
        return Memory(archive, embed=minilm.embed, space=minilm.MODEL, project_of=project)
    return Memory(archive, project_of=project)


def open_recall(archive: Archive, merging: Merging | None = None) -> Recall:
    """The search over history, with a classifier, a reranker and a code graph where set.

    merging: instead of the settings' own; a retriever that it gives a weight is asked, too.

    Raises:
        ConfigError: the settings cannot be read, or name no Neo4j.
        ValueError: there is no such strategy or retriever.
    """
    config = load_config()
    settings = config.recall
    classify, rerank = command("classify", settings.classify), command("rerank", settings.rerank)
    aids = SearchHelpers(
        classify=Classifier(classify, patience=settings.patience) if classify else None,
        rerank=Reranker(rerank, patience=settings.patience) if rerank else None,
        graph=Neo4j(settings.neo4j) if settings.neo4j else None,
    )
    merging = merging or Merging(settings.strategy, settings.weights)
    return Recall(
        archive,
        tiers={*settings.retrievers, *merging.weights},
        without=() if settings.vectors else ("embedding",),
        aids=aids,
        merging=merging,
        project_of=partial(project_of, named=config.projects),
    )


def workspace_of(archive: Archive, wanted: str | None) -> str | None:
    """The workspace meant by `wanted`: one with conversations, or else the folder of that name.

    Memories may hold, and injection be switched off, where nothing was captured yet.
    """
    try:
        return full_workspace(archive, wanted)
    except NotFoundError:
        return os.path.abspath(Path(wanted or "").expanduser())  # noqa: PTH100 - `..` has to go


def memory_scope(archive: Archive, folder: str) -> str:
    """The workspace that a memory made in `folder` holds in.

    It is the nearest folder from there up that has conversations, else the folder itself. The
    archive is asked, because an index may not be written yet.
    """
    return archive.workspace_around(folder) or folder


def command(name: str, text: str) -> Sequence[str]:
    """The words of a command from `[recall]`; empty where none is set.

    Raises:
        ConfigError: a quote is left open.
    """
    try:
        return shlex.split(text)
    except ValueError as error:
        raise ConfigError(f"[recall] {name}: {error}; close the quote in config.toml") from error
