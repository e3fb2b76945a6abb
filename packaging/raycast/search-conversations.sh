#!/bin/sh

# @raycast.schemaVersion 1
# @raycast.title Search Conversations
# @raycast.mode fullOutput
# @raycast.packageName Déjà Vu
# @raycast.icon 💬
# @raycast.argument1 { "type": "text", "placeholder": "words" }
# @raycast.description Searches past conversations with coding agents.

PATH=$HOME/.local/bin:/opt/homebrew/bin:/usr/local/bin:$PATH
command -v dejavu >/dev/null 2>&1 || { echo "dejavu is not installed"; exit 1; }
exec dejavu search --limit 20 -- "$1"
