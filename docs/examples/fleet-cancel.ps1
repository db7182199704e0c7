# Cancels all runs that carry a label, waits for their ends, and removes what dead
# ones left behind. Ends with 0 when none is left, 112 when some still end.
# Usage: fleet-cancel.ps1 KEY=VALUE [PATIENCE]
# PATIENCE (30s) should be longer than the longest grace among them.
param([string] $Label, [string] $Patience = '30s')
$ErrorActionPreference = 'Stop'
$PSNativeCommandUseErrorActionPreference = $false # exit codes are ours to judge
if (-not $Label) {
    [Console]::Error.WriteLine('usage: fleet-cancel.ps1 KEY=VALUE [PATIENCE]')
    exit 100
}

& processkit-cli cancel --all --label $Label
# 103: some were ending already, or do not answer; waiting tells
if ($LASTEXITCODE -notin 0, 103) { exit $LASTEXITCODE }

& processkit-cli wait --all --label $Label --timeout $Patience
$code = $LASTEXITCODE
& processkit-cli prune --label $Label
& processkit-cli list --label $Label
exit $code
