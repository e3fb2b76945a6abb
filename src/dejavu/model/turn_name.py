"""Turns as people read and type them: `ID#12` is the twelfth turn. `seq` in data counts from 0."""


def turn_number(seq: int) -> int:
    """The number of a turn for people, from 1 on."""
    return seq + 1


def turn_name(conversation: str, seq: int) -> str:
    """`ID#12`: what every command, the page and the MCP tools take and print."""
    return f"{conversation}#{turn_number(seq)}"


def seq_of(number: int) -> int:
    """The `seq` of the turn that people call `number`."""
    return number - 1
