#!/bin/sh
# The same over HTTP: run an agent, answer what it asks, print its last message. Needs curl and jq.
#     dejavu serve &                                    # prints the address of its socket
#     sh examples/from_http.sh SOCKET "Fix the failing test" claude
socket=$1 prompt=$2 && shift 2
api() { curl -s --unix-socket "$socket" -H 'Content-Type: application/json' "http://localhost/v1/sessions$@"; }
get() { api /it | jq -r ".$1"; }
jq -n '{name: "it", size: "120x40", command: $ARGS.positional}' --args "$@" | api "" -d @- >/dev/null
until [ "$(get state)" = idle ]; do sleep 0.5; done
before=$(get since)
jq -n --arg text "$prompt" '{$text}' | api /it/send -d @- >/dev/null
until [ "$(get since)" != "$before" ]; do sleep 0.2; done
while now=$(get state) && [ "$now" = working ] || [ "$now" = blocked ]; do
    [ "$now" = blocked ] && api /it/answer -d '{"choice": "1"}' >/dev/null
    sleep 0.5
done
api /it/stop -d '{}' >/dev/null
get last_words
