#!/bin/sh
# Run an agent, answer what it asks, print its last message: three lines. Needs jq.
#     sh examples/from_shell.sh "Fix the failing test" claude
prompt=$1 && shift
dejavu run --detach --size 120x40 --name it -- "$@" && dejavu wait it --timeout 120 && dejavu send it "$prompt"
while [ "$(dejavu wait it --for idle,error,blocked --json | jq -r .state)" = blocked ]; do dejavu answer it 1; done
dejavu stop it >/dev/null; dejavu status it --json | jq -r .last_words
