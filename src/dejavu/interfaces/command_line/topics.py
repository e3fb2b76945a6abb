"""The texts of `dejavu help TOPIC`: what belongs to no single command.

Tested in: tests/interfaces/command_line/test_help.py
"""

QUERY = """\
  retry budget           turns with either word, those with both first
  "ring buffer"          the words in this order
  retr*                  words that start with it
  -java, -"old way"      turns without these
  agent:claude           one agent; also role:user, tool:bash, instance:box-1
  in:shop                one folder, or its last parts
  project:acme/shop      one project: a repository with all its clones, or a folder
  path:src/net           turns in which a tool used such a file
  is:starred tag:bug     conversations you starred or tagged; -tag:bug those without
  after:2d before:now    by time: 2d, 3h, today, yesterday, 2026-11-01
  re:/time.?out/i        a regular expression, also in tools' output; /i: in either case

Names are found by their parts: `RetryBudget` and `src/net/retry.py` hold the word retry. A word
that no turn holds is corrected, and a line on stderr says so. `dejavu search --exact TEXT` finds a
text letter by letter, tools' whole output included."""

SOURCES = """\
Where conversations come from, the most certain first:

  session files   what an agent writes on this machine (`dejavu sync`)
  streams         JSON that an agent prints (`dejavu import`, `dejavu-run`)
  hooks           what an agent tells a hook (`dejavu init`)
  telemetry       OpenTelemetry (`dejavu otlp`), requests to the model (`dejavu wire`)
  the screen      redacted screen text, only with `dejavu-run --screen`

When several sources have the same conversation, the most certain one counts. `dejavu show ID
--provenance` names the source of each turn. A purged session file deletes nothing here."""

PRIVACY = """\
Everything stays on this machine unless you send it somewhere.

  archive     holds agents' own text as it was written, secrets included; only you can read it
  redaction   exports, briefs, memories, screen text and copies are redacted
  secrets     `dejavu secrets list` finds secrets, `dejavu secrets mask` masks them
  delete      `dejavu delete ID` deletes conversations, `--undo` brings them back until
              `dejavu archive compact`; `dejavu archive prune` deletes by age or pattern, for good
  off         DEJAVU_CAPTURE=off runs an agent without capture

Keystrokes are never recorded. The one exception is `dejavu golden record`, which turns them into a
test."""

FILES = """\
  ~/.config/dejavu         settings, rule packs (DEJAVU_CONFIG_HOME)
  ~/.local/share/dejavu    the archive (DEJAVU_DATA_HOME, or DEJAVU_ARCHIVE)
  ~/.local/state/dejavu    running sessions, logs (DEJAVU_STATE_HOME)

DEJAVU_ARCHIVE may be a folder or a postgresql:// URL. `dejavu doctor --all` prints the paths in
use. `dejavu uninstall` restores agents' settings byte for byte."""

EXIT_CODES = """\
  0    ok
  1    failed
  2    wrong use, or wrong settings
  3    not found: a session, an id, or no result (with --json an empty list exits 0)
  4    archive locked or damaged
  130  interrupted
  141  the reader of stdout is gone

`dejavu-run` exits as the agent does: 128+n for signal n, 127 where it was not found."""

TOPICS = {
    "query": QUERY,
    "sources": SOURCES,
    "privacy": PRIVACY,
    "files": FILES,
    "exit-codes": EXIT_CODES,
}
