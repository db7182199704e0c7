//go:build unix

package main

import (
	"path/filepath"
	"testing"
)

// TestExamples runs the examples for sh. A script calls them as their user
// would, with the example's path in $1.
func TestExamples(t *testing.T) {
	for _, tt := range []struct{ example, what, script, want string }{
		{
			"run-and-read-events", "own code", `sh "$1" sh -c 'sleep 600 & echo out; exit 3' || echo "code $?"`,
			"out\nended by child_exit, code 3\npeak memory ... bytes, CPU time ... ms\n" +
				"left running: ..., after the cleanup: 0\ncode 3\n",
		},
		{
			"run-and-read-events", "deadline", `TIMEOUT=300ms sh "$1" sleep 600 2>err || echo "code $?"; grep ^ended err`,
			"code 106\nended by timeout, code 106\n",
		},
		{
			"run-and-read-events", "refused", `sh "$1" nosuch 2>err || echo "code $?"; grep -v ^processkit-cli err; sh "$1" || echo "code $?"`,
			"code 101\nended by spawn_error, code 101\nusage: run-and-read-events.sh PROGRAM [ARG...]\ncode 100\n",
		},
		{
			"run-and-read-events", "stopped", `: >out; sh "$1" sh -c 'trap "echo tidied; exit" TERM; echo ready; sleep 600 & wait' >out 2>err &
				until grep -q ready out; do sleep 0.05; done
				kill -TERM "$!"; wait "$!" || echo "code $?"; cat out; grep ^ended err`,
			"code 107\nready\ntidied\nended by cancelled, code 107\n",
		},
		{
			"detach-inspect-wait", "own code", `sh "$1" sh -c 'echo out; echo err >&2; sleep 1; exit 4' 2>err || echo "code $?"; cat err`,
			"out\ncode 4\n...\nmechanism: ...\n...\nerr\nended by child_exit\n",
		},
		{
			"detach-inspect-wait", "refused", `sh "$1" nosuch || echo "code $?"`,
			"processkit-cli: detached runner: cannot start \"nosuch\": ...\ncode 101\n",
		},
		{
			"detach-inspect-wait", "stopped", `: >err; sh "$1" sleep 600 2>err &
				until grep -q members err; do sleep 0.05; done
				kill -TERM "$!"; wait "$!" || echo "code $?"; processkit-cli list`,
			"code 143\nno runs registered\n",
		},
		{
			"fleet-cancel", "all", `for n in 1 2; do
					processkit-cli run --detach --run-id "$n" --label team=web --jsonl "$n.jsonl" -- sleep 600
				done
				processkit-cli run --detach --run-id other --jsonl other.jsonl -- sleep 600
				sh "$1" team=web 10s
				processkit-cli list --json | grep -o '"run_id":"[^"]*"'
				sh "$1" team=web
				processkit-cli kill --run-id other; processkit-cli wait --run-id other`,
			"[{\"run_id\":\"1\",\"accepted\":true,...},{\"run_id\":\"2\",\"accepted\":true,...}]\n" +
				"no stale entries to prune\nno runs registered\n\"run_id\":\"other\"\n" +
				"[]\nno stale entries to prune\nno runs registered\n{\"accepted\":true,...}\n",
		},
		{
			"fleet-cancel", "impatient", `processkit-cli run --detach --run-id slow --label a=b --grace 2s --capture-dir out --jsonl slow.jsonl -- \
					sh -c 'trap "" TERM; echo ready; while :; do sleep 0.1; done'
				until grep -q ready out/stdout.log; do sleep 0.05; done
				sh "$1" a=b 100ms 2>/dev/null || echo "code $?"
				processkit-cli wait --run-id slow`,
			"[{\"run_id\":\"slow\",\"accepted\":true,...}]\ncode 112\n",
		},
		{
			"preflight", "whole", `sh "$1"`,
			"build: ...\ncontainer: ...\nevents: valid\ncaps: ...\n",
		},
	} {
		t.Run(tt.example+"/"+tt.what, func(t *testing.T) {
			t.Parallel()
			path, err := filepath.Abs(top + "docs/examples/" + tt.example + ".sh")
			if err != nil {
				t.Fatal(err)
			}
			if out, err := shell(t, "-euc", tt.script, "sh", path); err != nil || !matches(tt.want, out) {
				t.Errorf("%v, it shows\n%s\nand not\n%s", err, out, tt.want)
			}
		})
	}
}
