"""Agents' markdown for a terminal: Rich's, with quiet headings and code, and no live links.

What it renders must be sanitised once more: markdown spells characters by entities (`&#27;`).
"""

from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement
from rich.padding import Padding
from rich.syntax import Syntax


class _Heading(Heading):
    """A heading on a line of its own: no box, no centring."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.justify = "left"
        yield self.text


class _CodeBlock(CodeBlock):
    """Code, indented by two, on the background of the page."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).rstrip()
        syntax = Syntax(code, self.lexer_name, theme=self.theme, word_wrap=True)
        yield Padding(syntax, (0, 0, 0, 2))


class QuietMarkdown(Markdown):
    """Markdown as a page, not as a poster. Addresses are printed: nothing hides behind a word."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _Heading,
        "fence": _CodeBlock,
        "code_block": _CodeBlock,
    }

    def __init__(self, markup: str, *, dark: bool) -> None:
        theme = "ansi_dark" if dark else "ansi_light"
        super().__init__(markup, code_theme=theme, hyperlinks=False)
