"""Putting a conversation's own files back where its agent looks, out of the archive's raw.

`archived` collects what the archive holds, `plan` compares it with what is there, `carry_out` writes
and keeps a record, `take_back` undoes that. Nothing of the user's is ever overwritten.
"""
