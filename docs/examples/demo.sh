#!/bin/sh
# The suite in a minute: a real command with many processes, contained and on
# record (`go vet` over every module of this project), then a detached run that
# is found, watched, steered and cleaned up by its id.
# Usage: demo.sh BIN-DIRECTORY
set -eu
bin=$(cd "${1:-bin}" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$(mktemp -d)
PROCESSKIT_CLI_REGISTRY_DIR=$out/runs
export PROCESSKIT_CLI_REGISTRY_DIR
trap 'rm -rf "$out"' EXIT

say() { printf '\n== %s\n' "$*"; }
show() { printf '$ %s\n' "$*"; }

# typed WORD...: the words as one would type them, quoted where a shell needs it.
typed() {
	for word; do
		case $word in
		'' | *[!A-Za-z0-9_./:=,+-]*) printf " '%s'" "$(printf %s "$word" | sed "s/'/'\\\\''/g")" ;;
		*) printf ' %s' "$word" ;;
		esac
	done
}

# pk ARG...: shows a command of the suite and runs it.
pk() {
	show "processkit-cli$(typed "$@")"
	"$bin/processkit-cli" "$@"
}

# expect CODE ARG...: the same for one that ends with another code than 0.
expect() {
	want=$1
	shift
	code=0
	pk "$@" || code=$?
	echo "(exit code $code)"
	[ "$code" = "$want" ]
}

say "go vet over every module: a deadline, capture, a snapshot every 50 ms"
set -- "$root"/*/go.mod
for m in "$@"; do
	shift
	set -- "$@" "./$(basename "$(dirname "$m")")/..."
done
show "processkit-cli run --timeout 5m --capture-dir logs ... -- go vet ./..."
"$bin/processkit-cli" run --jsonl "$out/vet.jsonl" --run-id vet --label purpose=demo \
	--cwd "$root" --timeout 5m --grace 5s --snapshot-interval 50ms \
	--capture-dir "$out/logs" -- "${GO:-go}" vet "$@"
echo "(exit code 0, as go vet ended)"

say "its story, from the event stream, without the snapshots"
pk events --file "$out/vet.jsonl" | grep -v members_snapshot
echo "most processes seen at once: $(grep members_snapshot "$out/vet.jsonl" |
	awk -F'"pid":' 'NF > n { n = NF } END { print n - 1 }')"
pk events --file "$out/vet.jsonl" --validate

say "a leaked background process neither outlives its run nor holds it up"
pk run --jsonl "$out/leak.jsonl" -- sh -c 'sleep 60 & echo "hello from process $$"'
grep -o '"members_before":[0-9]*' "$out/leak.jsonl"
grep -o '"remaining":[0-9]*' "$out/leak.jsonl"

say "a deadline"
expect 106 run --jsonl "$out/late.jsonl" --timeout 300ms --grace 1s -- sleep 60

say "what this build can do"
pk probe --json --require-schema-version 1 --require-surface run:--detach | cut -c1-150

say "a detached run, found and steered by its id"
pk run --detach --run-id worker --label team=web --jsonl "$out/worker.jsonl" \
	--capture-dir "$out/worker" --grace 2s -- sh -c 'echo working; sleep 600'
pk list --label team=web
pk inspect --run-id worker
expect 112 wait --run-id worker --timeout 200ms
show "processkit-cli events --run-id worker --follow --json > story &"
"$bin/processkit-cli" events --run-id worker --follow --json >"$out/story" &
follower=$!
show "processkit-cli wait --run-id worker --report-outcome &"
"$bin/processkit-cli" wait --run-id worker --report-outcome >"$out/outcome" &
waiter=$!
sleep 0.2
pk cancel --run-id worker
wait "$waiter" "$follower"
cat "$out/outcome"
cmp "$out/story" "$out/worker.jsonl" && echo "the follower saw every byte"
expect 103 inspect --run-id worker
pk list
pk prune
