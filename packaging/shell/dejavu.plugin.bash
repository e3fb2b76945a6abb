# Runs your agents wrapped by their own names: source this file, or let a plugin manager do it.
if command -v dejavu >/dev/null 2>&1; then
  eval "$(dejavu shell-init bash)"
fi
