"""`dejavu answer SESSION CHOICE`: choose in the dialog by which an agent asks.

With --json a receipt, also of a refusal: `{"typed", "submitted", "accepted", "reason"}`. Exit codes:
0 answered, 1 refused or still asking, 2 no such choice, 3 no such session.

Tested in: tests/sessions/test_answer.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from dejavu.sessions import answer
from dejavu.sessions.delivery import Receipt, receipt_of
from dejavu.sessions.send_input import InputRefusedError
from dejavu.sessions.session_store import find

from ..command_line.output import one_line, print_json
from ..command_line.parameters import Argument, Option
from ..command_line.stdio import ExitError
from ..filters import decoded

if TYPE_CHECKING:
    from ..command_line.parameters import Json, SessionId


def command(
    session: SessionId,
    choice: Annotated[
        str, Argument(help="A choice's number or label, or a text if there are no choices.")
    ],
    expect: Annotated[
        str, Option("--expect", metavar="TEXT", help="Answer only if the question is about this.")
    ] = "",
    json: Json = False,
) -> None:
    """Answer an agent's question."""
    view = find(session)
    try:
        chosen = answer.answer(view, decoded(choice), expect=decoded(expect))
    except InputRefusedError as error:
        if not json:
            raise
        told = receipt_of(error)._asdict()
        print_json({"session": view.session.id, "answered": None, **told})
        raise ExitError(1) from None
    if json:
        receipt = Receipt(True, True, True, by="screen")._asdict()
        print_json({"session": view.session.id, "answered": chosen, **receipt})
    else:
        print(one_line(chosen, 200))
