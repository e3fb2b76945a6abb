"""Agents' markdown for a terminal: Rich's, with quiet headings and code, and no live links.

What it renders must be sanitised once more: markdown spells characters by entities (`&#27;`).
"""

from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement
from rich.padding import Padding
from rich.text import Text

from dejavu.export.highlight import pieces


class _Heading(Heading):
    """A heading on its own line: no box, no centring."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.justify = "left"
        yield self.text


class _CodeBlock(CodeBlock):
    """Code, indented by two, on the background of the page, in the styles `code.KIND`.

    Rich's own `Syntax` has no bounds: hostile code stops it for minutes.
    """

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = Text(no_wrap=False)
        for kind, text in pieces(str(self.text).rstrip(), self.lexer_name):
            code.append(text, f"code.{kind}" if kind else None)
        yield Padding(code, (0, 0, 0, 2))


class QuietMarkdown(Markdown):
    """Markdown as a page, not as a poster. Addresses are printed: nothing hides behind a word."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _Heading,
        "fence": _CodeBlock,
        "code_block": _CodeBlock,
    }

    def __init__(self, markup: str) -> None:
        super().__init__(markup, hyperlinks=False)
