#!/bin/sh
# Starts a command in the background, shows who is in it, waits for its end and
# ends with its code. If this script is stopped, the run is cancelled.
# Usage: detach-inspect-wait.sh PROGRAM [ARG...]
# The environment may set TIMEOUT (10m) and GRACE (5s).
set -eu
if [ $# = 0 ]; then
	echo "usage: ${0##*/} PROGRAM [ARG...]" >&2
	exit 100
fi
dir=$(mktemp -d)
id=example-$$-$(date +%s)

# field NAME: a number or a plain word from the JSON line on stdin
field() { sed -n 's/.*"'"$1"'":"\{0,1\}\([^",}]*\).*/\1/p'; }

finish() {
	trap '' HUP INT TERM
	processkit-cli cancel --run-id "$id" >/dev/null 2>&1 || : # 103: it is over, or ending
	processkit-cli wait --run-id "$id"
	rm -rf "$dir"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# 0 means started; with any other code nothing runs, and this script ends with it.
processkit-cli run --detach --run-id "$id" --label example=detach --jsonl "$dir/events.jsonl" \
	--capture-dir "$dir/output" --timeout "${TIMEOUT:-10m}" --grace "${GRACE:-5s}" -- "$@"

processkit-cli inspect --run-id "$id" >&2 || : # it may be over already

# In the background, so that a signal is handled at once and not at the end.
processkit-cli wait --run-id "$id" &
wait "$!"
# The record goes an instant before the last line is written; this waits for that.
ending=$(processkit-cli events --file "$dir/events.jsonl" --follow --json |
	grep '"event":"runner_exit"' | tail -n 1)

cat "$dir/output/stdout.log"
cat "$dir/output/stderr.log" >&2
echo "ended by $(echo "$ending" | field source)" >&2
code=$(echo "$ending" | field code)
exit "${code:-104}" # no ending on record: the runner was killed
