"""The command `dejavu desk`."""
