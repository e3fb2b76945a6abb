"""The error tree. Every error of ours descends from `DejavuError`; `OSError` stays `OSError`.

    DejavuError
    ├── CaptureError                 the wrapper could not do its part
    │   ├── KeysBetweenError         others typed since it was looked at; nothing was typed
    │   └── SpawnError               the agent could not be started (exit code 127)
    ├── ScrapeError
    │   └── RulePackError            a rule pack breaks the schema: file, line, fix
    ├── ProviderError
    │   └── UnreadableSessionError   a session log could not be read
    ├── ArchiveError                 (exit code 4 for the next three)
    │   ├── NewerFormatError         written by a newer Déjà Vu
    │   ├── CorruptArchiveError      damaged: says what and how to restore
    │   ├── ArchiveLockedError       another process holds the writer's lock
    │   └── ArchiveUnavailableError  out of reach, or not to be written now; nothing is damaged
    ├── NotFoundError                no such conversation, session or memory (exit code 3)
    ├── InvalidValueError            a filter or argument that cannot be used (exit code 2)
    └── ConfigError                  a setting that cannot be used

Errors are distinguished by class, never by their text. The text is one sentence that names the
thing, the position in it, and the fix.
"""


class DejavuError(Exception):
    """Root of every error of ours; its text is fit to be shown to a user."""


class CaptureError(DejavuError):
    """The wrapper could not do its part."""


class KeysBetweenError(CaptureError):
    """Others typed into the agent since it was looked at; nothing was typed."""


class SpawnError(CaptureError):
    """The agent could not be started; the wrapper exits with `code`, as a shell does."""

    code = 127
    """126 where there is such a program, and it may not be run."""


class ScrapeError(DejavuError):
    """Reading a screen failed."""


class RulePackError(ScrapeError):
    """A rule pack breaks the schema; the text names file, line and fix."""


class ProviderError(DejavuError):
    """An agent's own session log could not be used."""


class UnreadableSessionError(ProviderError):
    """A session file or store could not be read; the text names it and the position in it."""


class ArchiveError(DejavuError):
    """The archive could not do what was asked."""


class NewerFormatError(ArchiveError):
    """The archive was written by a newer Déjà Vu; nothing was touched."""


class CorruptArchiveError(ArchiveError):
    """The archive is damaged; the text says what is wrong and how to restore."""


class HiddenTurnsError(CorruptArchiveError):
    """Turns lean on raw that this login may not read. Skipped as what is damaged is, and not damaged."""


class ArchiveLockedError(ArchiveError):
    """Another process holds the archive; trying again later may do."""


class ArchiveUnavailableError(ArchiveError):
    """The archive is out of reach, or cannot be written now; it is not damaged."""


class LegalHoldError(ArchiveError):
    """A legal hold keeps it from being deleted; the text gives the reason and who ends it."""


class NotFoundError(DejavuError):
    """No such conversation, session or memory."""


class ConfigError(DejavuError):
    """A setting cannot be used; the text names the file, the key and the fix."""


class InvalidValueError(DejavuError, ValueError):
    """A value that a caller gave (a filter, an argument) cannot be used."""
