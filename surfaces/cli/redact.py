"""`dejavu redact [FILE|-]`: the redactor as a filter.

Takes text (with `--columns N`: screen rows wrapped at N); gives it with secrets replaced by
`[redacted:<rule>:<hmac8>]`. Streams by logical line; a PEM block is held until it ends.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from dejavu.record.redact import Redactor

from ..secrets import redaction_key


def command(
    file: Annotated[Path, typer.Argument(help="A text; - or nothing is stdin.")] = Path("-"),
    columns: Annotated[
        int | None,
        typer.Option(
            "--columns", min=2, help="The input is screen rows wrapped at so many columns."
        ),
    ] = None,
) -> None:
    """Replace secrets in a text."""
    if str(file) != "-" and not file.is_file():
        raise typer.BadParameter(f"{file}: no such file")
    redactor = Redactor(redaction_key())
    data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    text = data.decode("utf-8", "surrogateescape")
    if columns is None:
        clean = redactor.redact(text)
    else:
        rows = text.split("\n")
        clean = "\n".join(redactor.redact_rows(rows, columns))
    sys.stdout.buffer.write(clean.encode("utf-8", "surrogateescape"))
