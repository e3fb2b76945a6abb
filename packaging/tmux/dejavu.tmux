#!/bin/sh
# A tmux plugin: what your agents do, in the status line, and a key that opens the browser of conversations.
#   run-shell /path/to/packaging/tmux/dejavu.tmux      (in tmux.conf)
#   set -g @dejavu-key D                               (the key after the prefix; `none` for no key)
command -v dejavu >/dev/null 2>&1 || exit 0
key=$(tmux show-option -gqv @dejavu-key)
[ "$key" = none ] || tmux bind-key "${key:-D}" display-popup -E -w 90% -h 90% dejavu
right=$(tmux show-option -gqv status-right)
case $right in
*'dejavu status'*) ;;
*) tmux set-option -g status-right "#(dejavu status --summary) $right" ;;
esac
