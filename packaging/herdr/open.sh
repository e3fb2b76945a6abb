#!/bin/sh
# An action has no terminal, so it opens the plugin's pane.
command -v dejavu >/dev/null 2>&1 || { echo "dejavu is not on the PATH of herdr" >&2; exit 1; }
exec "${HERDR_BIN_PATH:-herdr}" plugin pane open --plugin dejavu --entrypoint browser --placement overlay --focus
