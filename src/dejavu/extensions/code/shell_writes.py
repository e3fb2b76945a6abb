"""What a shell command writes, as far as its text says so.

Here-documents into `cat`, `tee` or a patch program state the content; `echo` and `printf` of plain
words do too; `sed -i`, other redirections and `cp` only name the file; `mv`, `git mv`, `rm` move and
delete. What depends on variables, substitutions or loops is left out: it does not say so. Does no
I/O, runs nothing. Costs O(text).

Tested in: tests/extensions/code/test_tool_arguments.py
"""

import posixpath
import re
import shlex
from collections.abc import Iterator
from itertools import islice

from .file_edit import EditKind, FileEdit, Hunk, split_lines
from .patches import diff_edits, envelope_edits, is_envelope

_LARGEST = 1 << 20  # characters of a command
_DOCUMENTS = 20  # here-documents that one line opens
_HEREDOC = re.compile(r"<<(-?)\s*(?:'([^'\n]+)'|\"([^\"\n]+)\"|\\?([A-Za-z_][\w.-]*))")
_ENDS = frozenset({"&&", "||", ";", "|", "&", "\n", "(", ")", "{", "}", "do", "then", "else"})
_OUTPUT = re.compile(r"(?:1|&)?(>{1,2}|>\|)$")
_UNKNOWN = re.compile(r"[$`*?\[\]{}~]")
_DEVICES = ("/dev/", "/proc/")
_PATCHES = (["git", "apply"], ["patch"], ["apply_patch"], ["applypatch"])


def shell_edits(command: str) -> list[FileEdit]:
    """The changes that a command line states, in order; paths as they stand, below any `cd`."""
    if len(command) > _LARGEST:
        return []
    text, documents = _without_documents(command)
    edits: list[FileEdit] = []
    folder = ""
    for words, document in _simple_commands(text, documents):
        if words[:1] == ["cd"]:
            folder = posixpath.join(folder, words[1]) if len(words) == 2 else ""
            continue
        edits += [_below(folder, edit) for edit in _edits_of(words, document)]
    return edits


def _below(folder: str, edit: FileEdit) -> FileEdit:
    if not folder:
        return edit
    source = edit.source and posixpath.join(folder, edit.source)
    return edit._replace(path=posixpath.join(folder, edit.path), source=source)


def _without_documents(command: str) -> tuple[str, list[str]]:
    """A command with each here-document in the place of its body, and the bodies."""
    documents: list[str] = []
    lines = command.split("\n")
    kept: list[str] = []
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        for match in list(islice(_HEREDOC.finditer(line), _DOCUMENTS)):
            word = match[2] or match[3] or match[4]
            body: list[str] = []
            while number < len(lines):
                row = lines[number].lstrip("\t") if match[1] else lines[number]
                number += 1
                if row.rstrip("\r") == word:
                    break
                body.append(row)
            line = line.replace(match[0], f" <<{len(documents)} ", 1)
            documents.append("\n".join(body) + "\n" if body else "")
        kept.append(line)
    return "\n".join(kept), documents


def _simple_commands(text: str, documents: list[str]) -> Iterator[tuple[list[str], str | None]]:
    """The words of each simple command, and the here-document it reads."""
    lexer = shlex.shlex(
        text.replace("\\\n", " ").replace("\n", " ; "), posix=True, punctuation_chars=True
    )
    lexer.commenters = ""
    words: list[str] = []
    document: str | None = None
    try:
        for token in lexer:
            if token in _ENDS or not token.strip(";&|()"):
                if words:
                    yield words, document
                words, document = [], document if "|" in token else None
            elif words[-1:] == ["<<"] and token.isdecimal() and int(token) < len(documents):
                words.pop()
                document = documents[int(token)]
            else:
                words.append(token)
    except ValueError:  # a quote is left open: what came before it was whole
        return
    if words:
        yield words, document


def _edits_of(words: list[str], document: str | None) -> list[FileEdit]:
    plain, outputs = _outputs(words)
    while plain and (plain[0] in ("sudo", "env", "command", "time") or _is_assignment(plain[0])):
        plain = plain[1:]
    if not plain:
        return []
    if document is not None and any(plain[: len(names)] == names for names in _PATCHES):
        return envelope_edits(document) if is_envelope(document) else diff_edits(document)
    content = _content(plain, document)
    if plain[0] == "tee":
        outputs += [(path, "-a" in plain) for path in plain[1:] if not path.startswith("-")]
    edits = [_written(path, content, append=append) for path, append in outputs if _is_stated(path)]
    return edits + _moves(plain)


def _written(path: str, content: str | None, *, append: bool) -> FileEdit:
    if content is None:
        return FileEdit(path, EditKind.TOUCH)
    kind = EditKind.APPEND if append else EditKind.WRITE
    return FileEdit(path, kind, (Hunk((), split_lines(content)),))


def _outputs(words: list[str]) -> tuple[list[str], list[tuple[str, bool]]]:
    """The words without redirections, and the files written with whether they are appended to."""
    plain: list[str] = []
    outputs: list[tuple[str, bool]] = []
    rest = iter(words)
    for word in rest:
        match = _OUTPUT.match(word)
        if match is not None:
            target = next(rest, "")
            if plain[-1:] == ["2"]:  # errors: not a file
                plain.pop()
            elif not target.isdecimal() and target != "&":
                outputs.append((target, match[1] == ">>"))
        elif word in ("<", ">&", "<<<"):
            next(rest, None)
            if word == ">&" and plain[-1:] == ["2"]:
                plain.pop()
        else:
            plain.append(word)
    return plain, outputs


def _content(words: list[str], document: str | None) -> str | None:
    """What a command prints, where its words say it."""
    if words[0] in ("cat", "tee") and document is not None:
        return document
    if words[0] == "echo" and len(words) > 1 and not words[1].startswith("-"):
        text = " ".join(words[1:])
        return None if "$" in text or "`" in text or "\\" in text else text + "\n"
    if words[0] == "printf" and len(words) == 2 and not re.search(r"[%$`]", words[1]):
        return words[1].replace("\\n", "\n").replace("\\t", "\t")
    return None


def _moves(words: list[str]) -> list[FileEdit]:
    git = words[0] == "git"
    name = words[1] if git and len(words) > 1 else words[0]
    options = [word for word in words[1 + git :] if word.startswith("-") and word != "-"]
    names = [word for word in words[1 + git :] if not word.startswith("-")]
    if name == "sed" and any(word.startswith(("-i", "--in-place")) for word in options):
        return [FileEdit(path, EditKind.TOUCH) for path in names[1:] if _is_stated(path)]
    if not all(map(_is_stated, names)):
        return []
    if name == "rm":
        return [FileEdit(path, EditKind.DELETE) for path in names]
    if name in ("mv", "cp") and len(names) == 2:
        source, target = names
        if target.endswith("/") or target in (".", ".."):
            target = posixpath.join(target, posixpath.basename(source.rstrip("/")))
        if name == "cp":
            return [FileEdit(target, EditKind.TOUCH)]
        return [FileEdit(target, EditKind.MOVE, source=source)]
    if git and name in ("checkout", "restore") and "--" in words:
        return [FileEdit(path, EditKind.TOUCH) for path in words[words.index("--") + 1 :]]
    return []


def _is_stated(path: str) -> bool:
    """Whether a word names one file alone, and a real one."""
    return bool(path) and not _UNKNOWN.search(path) and not path.startswith(_DEVICES)


def _is_assignment(word: str) -> bool:
    return bool(re.match(r"[A-Za-z_]\w*=", word))
