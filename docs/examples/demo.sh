#!/bin/sh
# A real command with many processes, contained and on record: `go vet` over
# every module of this project. Usage: demo.sh BIN-DIRECTORY
set -eu
bin=$(cd "${1:-bin}" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

say() { printf '\n== %s\n' "$*"; }

say "go vet over every module, with a deadline, capture and a snapshot every 200 ms"
set -- "$root"/*/go.mod
for m in "$@"; do set -- "$@" "./$(basename "$(dirname "$m")")/..."; shift; done
"$bin/processkit-cli" run --jsonl "$out/run.jsonl" --run-id demo --label purpose=demo \
	--cwd "$root" --timeout 5m --grace 5s --snapshot-interval 200ms \
	--capture-dir "$out/logs" -- "${GO:-go}" vet "$@"
echo "exit code 0, as go vet ended"

say "who was in the container (the fullest snapshot)"
awk -F'"pid":' '/"members_snapshot"/ { if (NF > most) { most = NF; line = $0 } } END { print line }' "$out/run.jsonl" |
	grep -o '"pid":[0-9]*\|"name":"[^"]*"' | sed 's/"//g' | paste - - | head -20

say "the story of the run, without its snapshots"
grep -v '"members_snapshot"' "$out/run.jsonl"

say "a leaked background process does not outlive its run, nor hold it up"
"$bin/processkit-cli" run --jsonl "$out/leak.jsonl" -- sh -c 'sleep 60 & echo "hello from process $$"'
grep -o '"members_before":[0-9]*\|"remaining":[0-9]*' "$out/leak.jsonl"

say "a deadline"
code=0
"$bin/processkit-cli" run --jsonl "$out/late.jsonl" --timeout 300ms --grace 1s -- sleep 60 || code=$?
echo "exit code $code: a deadline ended the run, see pkc-run --help"
[ "$code" = 106 ]
