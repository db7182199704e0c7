#!/bin/sh
# Cancels all runs that carry a label, waits for their ends, and removes what dead
# ones left behind. Ends with 0 when none is left, 112 when some still end.
# Usage: fleet-cancel.sh KEY=VALUE [PATIENCE]
# PATIENCE (30s) should be longer than the longest grace among them.
set -eu
if [ $# = 0 ]; then
	echo "usage: ${0##*/} KEY=VALUE [PATIENCE]" >&2
	exit 100
fi
label=$1
patience=${2:-30s}

code=0
processkit-cli cancel --all --label "$label" || code=$?
case $code in
0 | 103) ;; # 103: some were ending already, or do not answer; waiting tells
*) exit "$code" ;;
esac

code=0
processkit-cli wait --all --label "$label" --timeout "$patience" || code=$?
processkit-cli prune --label "$label" >&2
processkit-cli list --label "$label" >&2
exit "$code"
