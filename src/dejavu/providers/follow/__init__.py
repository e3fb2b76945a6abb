"""How a source grows and what of it is new: appended files, rewritten documents, databases."""
