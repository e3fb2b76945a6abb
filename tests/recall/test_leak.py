"""The benchmark cannot flatter: what reads a question knows none of the words its questions use.

The modules that weigh a question's words may name closed-class words (articles, pronouns,
auxiliaries, question words ...) and nothing else that a benchmark's question holds. A list of verbs
"that people ask with" once mirrored the templates and was worth nine points on them alone.
"""

import ast
import re
from pathlib import Path

from benchmarks.recall.corpus import ASKS, PRONOUNS, WHAT, WHY
from benchmarks.recall.sets import HandWritten

from dejavu.recall.terms import listed

REPO = Path(__file__).parents[2]

HISTORY = REPO / "src" / "dejavu" / "recall" / "history"
READS_QUESTIONS = (
    HISTORY / "query.py", HISTORY / "hit_loader.py", HISTORY / "score_fusion.py",
    *sorted((HISTORY / "retrievers").glob("*.py")),
)  # fmt: skip
CLOSED = frozenset(
    listed(
        "what why how which who whom whose when where whether did does are is was were has have had "
        "should can could may must and but the you us we me it hey please again know about of so ok"
    )
)
NAMES = {"text", "before", "tools", "entity", "facet", "score", "short", "count", "files"}
"""Of fields, attributes and strategies: constants that no question is compared with."""


def questions() -> set[str]:
    asked = [*ASKS, *WHY, *WHAT, *PRONOUNS]
    for name in ("development.toml", "heldout.toml"):
        for reworded in (False, True):
            if name == "development.toml" and reworded:
                continue
            asked += [q.prompt for q in HandWritten(name).questions(reworded=reworded)]
    return {word for prompt in asked for word in re.findall(r"[a-z]{3,}", prompt.lower())}


KINDS = re.compile(r"_[A-Z_]+|PromptKind|kind_of|is_\w+")
"""What tells an order from a question, next to the query: words of English, none of a subject."""


def constants(path: Path) -> set[str]:
    """The words of a module's strings, without its docstrings and what tells kinds of prompts."""
    tree = ast.parse(path.read_text("utf-8"))
    if path.name == "query.py":
        tree.body = [node for node in tree.body if not _is_of_kinds(node)]
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return {
        word
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare
        for word in re.findall(r"[a-z]{3,}", re.sub(r"\\[a-z]", " ", node.value.lower()))
    }


def _is_of_kinds(node: ast.stmt) -> bool:
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    name = target.id if isinstance(target, ast.Name) else getattr(node, "name", "")
    return KINDS.fullmatch(name) is not None


def test_no_constant_holds_a_word_of_the_questions() -> None:
    asked = questions()
    assert len(asked) > 300
    for path in READS_QUESTIONS:
        assert constants(path) & asked <= CLOSED | NAMES, path.name


def test_the_halves_are_of_different_words() -> None:
    """The held-out questions share few of their telling words with those weights are chosen by."""
    chosen = HandWritten("development.toml").questions()
    scored = HandWritten("heldout.toml").questions()
    words = [
        {word for q in some for word in re.findall(r"[a-z]{5,}", q.prompt.lower())}
        for some in (chosen, scored)
    ]
    assert len(words[0] & words[1]) < 0.2 * len(words[1])
    assert not {q.prompt for q in chosen} & {q.prompt for q in scored}
