# Starts a command in the background, shows who is in it, waits for its end and
# ends with its code. If this script is stopped, the run is cancelled.
# Usage: detach-inspect-wait.ps1 PROGRAM [ARG...]
# The environment may set TIMEOUT (10m) and GRACE (5s).
# Windows PowerShell 5.1 loses double quotes inside of arguments; PowerShell 7 does not.
$ErrorActionPreference = 'Stop'
$PSNativeCommandUseErrorActionPreference = $false # exit codes are ours to judge
if ($args.Count -eq 0) {
    [Console]::Error.WriteLine('usage: detach-inspect-wait.ps1 PROGRAM [ARG...]')
    exit 100
}
$timeout = if ($env:TIMEOUT) { $env:TIMEOUT } else { '10m' }
$grace = if ($env:GRACE) { $env:GRACE } else { '5s' }
$id = 'example-' + [Guid]::NewGuid().ToString()
$dir = Join-Path ([IO.Path]::GetTempPath()) $id
New-Item -ItemType Directory -Path $dir | Out-Null
$over = $true
try {
    # 0 means started; with any other code nothing runs, and this script ends with it.
    & processkit-cli run --detach --run-id $id --label example=detach --jsonl "$dir/events.jsonl" `
        --capture-dir "$dir/output" --timeout $timeout --grace $grace -- @args
    $code = $LASTEXITCODE
    if ($code -eq 0) {
        $over = $false
        & processkit-cli inspect --run-id $id # it may be over already

        & processkit-cli wait --run-id $id
        # The record goes an instant before the last line is written; this waits for that.
        $ending = & processkit-cli events --file "$dir/events.jsonl" --follow --json |
            Select-Object -Last 1 | ConvertFrom-Json
        $over = $true

        Get-Content -Path "$dir/output/stdout.log", "$dir/output/stderr.log" -Encoding UTF8
        # No ending on record: the runner was killed.
        $code = if ($ending.event -eq 'runner_exit') { $ending.code } else { 104 }
        [Console]::Error.WriteLine("ended by $($ending.source)")
    }
}
finally {
    if (-not $over) {
        & processkit-cli cancel --run-id $id | Out-Null
        & processkit-cli wait --run-id $id
    }
    Remove-Item -Recurse -Force -Path $dir
}
exit $code
