# Runs a command with a deadline, then tells, from its event stream, who ended it,
# what it used and what it had left running. The exit code is the command's own,
# or the runner's.
# Usage: run-and-read-events.ps1 PROGRAM [ARG...]
# The environment may set TIMEOUT (10m) and GRACE (5s).
# Windows PowerShell 5.1 loses double quotes inside of arguments; PowerShell 7 does not.
$ErrorActionPreference = 'Stop'
$PSNativeCommandUseErrorActionPreference = $false # exit codes are ours to judge
if ($args.Count -eq 0) {
    [Console]::Error.WriteLine('usage: run-and-read-events.ps1 PROGRAM [ARG...]')
    exit 100
}
$timeout = if ($env:TIMEOUT) { $env:TIMEOUT } else { '10m' }
$grace = if ($env:GRACE) { $env:GRACE } else { '5s' }
$dir = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid().ToString())
New-Item -ItemType Directory -Path $dir | Out-Null
try {
    $stream = Join-Path $dir 'events.jsonl'
    & processkit-cli run --jsonl $stream --timeout $timeout --grace $grace -- @args
    $code = $LASTEXITCODE

    $last = @{} # the last event of each kind
    if (Test-Path $stream) {
        foreach ($line in Get-Content -Path $stream -Encoding UTF8) {
            $e = $line | ConvertFrom-Json
            $last[$e.event] = $e
        }
    }
    if ($last.ContainsKey('runner_exit')) {
        $used = $last['resource_summary'] # not there if nothing was started
        @(
            "ended by $($last['runner_exit'].source), code $code"
            if ($used) {
                "peak memory $($used.peak_memory_bytes) bytes, CPU time $($used.total_cpu_ms) ms"
                "left running: $($last['cleanup_started'].members_before), after the cleanup: $($last['cleanup_finished'].remaining)"
            }
        ) | ForEach-Object { [Console]::Error.WriteLine($_) }
    }
}
finally {
    Remove-Item -Recurse -Force -Path $dir
}
exit $code
