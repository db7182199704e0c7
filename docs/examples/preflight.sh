#!/bin/sh
# Tells whether this host and this build can do what a caller is going to need,
# before it needs it. One line for each fact; ends with 0 if all that is required
# is there, else with the code of what failed (110: the build lacks something).
# Usage: preflight.sh
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
id=preflight-$$-$(date +%s)

# field NAME: a number or a plain word from the JSON line on stdin
field() { sed -n 's/.*"'"$1"'":"\{0,1\}\([^",}]*\).*/\1/p'; }

processkit-cli probe --json --require-schema-version 1 --require-exit-code-band 100-119 \
	--require-surface run:--detach --require-surface wait:--report-outcome \
	--require-surface events:--follow >"$dir/probe.json"
echo "build: $(field version <"$dir/probe.json")"

# The suite itself is the one program that is surely there.
processkit-cli run --run-id "$id" --jsonl "$dir/run.jsonl" --timeout 30s --no-echo -- \
	processkit-cli --version
echo "container: $(head -n 1 "$dir/run.jsonl" | field mechanism)"
processkit-cli events --file "$dir/run.jsonl" --validate >/dev/null
echo "events: valid"

# Caps are a property of the host. Without them this is no failure here.
code=0
processkit-cli run --run-id "$id" --jsonl "$dir/caps.jsonl" --timeout 30s --no-echo \
	--max-memory 256m --max-processes 64 -- processkit-cli --version 2>"$dir/why" || code=$?
case $code in
0) echo "caps: yes" ;;
102) echo "caps: no, $(cat "$dir/why")" ;;
*)
	cat "$dir/why" >&2
	exit "$code"
	;;
esac
