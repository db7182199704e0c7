#!/bin/sh
# Runs a command with a deadline, then tells on stderr, from its event stream, who
# ended it, what it used and what it had left running. The exit code is the
# command's own, or the runner's.
# Usage: run-and-read-events.sh PROGRAM [ARG...]
# The environment may set TIMEOUT (10m) and GRACE (5s).
set -eu
if [ $# = 0 ]; then
	echo "usage: ${0##*/} PROGRAM [ARG...]" >&2
	exit 100
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
stream=$dir/events.jsonl

# event NAME: its last line in the stream
event() { grep "\"event\":\"$1\"" "$stream" | tail -n 1; }
# field NAME: a number or a plain word from the JSON line on stdin
field() { sed -n 's/.*"'"$1"'":"\{0,1\}\([^",}]*\).*/\1/p'; }

# In the background, so that a signal to this script reaches the run at once.
processkit-cli run --jsonl "$stream" --timeout "${TIMEOUT:-10m}" --grace "${GRACE:-5s}" -- "$@" &
runner=$!
trap 'kill -TERM "$runner"' HUP INT TERM
code=0
wait "$runner" || code=$?
while kill -0 "$runner" 2>/dev/null; do # that was a signal, and the grace goes on
	code=0
	wait "$runner" || code=$?
done
trap - HUP INT TERM

if [ -s "$stream" ]; then
	{
		echo "ended by $(event runner_exit | field source), code $code"
		used=$(event resource_summary)
		if [ -n "$used" ]; then # not there if nothing was started
			echo "peak memory $(echo "$used" | field peak_memory_bytes) bytes," \
				"CPU time $(echo "$used" | field total_cpu_ms) ms"
			echo "left running: $(event cleanup_started | field members_before)," \
				"after the cleanup: $(event cleanup_finished | field remaining)"
		fi
	} >&2
fi
exit "$code"
