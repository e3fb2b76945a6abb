"""A Textual program: a button and how often it was pressed."""

from textual.app import App, ComposeResult
from textual.widgets import Button, Label


class Counter(App[None]):
    CSS = "Screen { align: center middle; } Label { margin: 1; }"
    count = 0

    def compose(self) -> ComposeResult:
        yield Label("0 clicks")
        yield Button("Click me")

    def on_button_pressed(self) -> None:
        self.count += 1
        self.query_one(Label).update(f"{self.count} clicks")


if __name__ == "__main__":
    Counter().run()
