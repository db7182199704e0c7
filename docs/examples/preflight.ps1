# Tells whether this host and this build can do what a caller is going to need,
# before it needs it. One line for each fact; ends with 0 if all that is required
# is there, else with the code of what failed (110: the build lacks something).
# Usage: preflight.ps1
$ErrorActionPreference = 'Stop'
$PSNativeCommandUseErrorActionPreference = $false # exit codes are ours to judge
$id = 'preflight-' + [Guid]::NewGuid().ToString()
$dir = Join-Path ([IO.Path]::GetTempPath()) $id
New-Item -ItemType Directory -Path $dir | Out-Null
try {
    $probe = & processkit-cli probe --json --require-schema-version 1 --require-exit-code-band "100-119" `
        --require-surface run:--detach --require-surface wait:--report-outcome `
        --require-surface events:--follow
    if ($LASTEXITCODE -ne 0) { exit $LASTEXITCODE }
    "build: $(($probe | ConvertFrom-Json).version)"

    # The suite itself is the one program that is surely there.
    & processkit-cli run --run-id $id --jsonl "$dir/run.jsonl" --timeout "30s" --no-echo -- `
        processkit-cli --version
    if ($LASTEXITCODE -ne 0) { exit $LASTEXITCODE }
    $started = Get-Content -Path "$dir/run.jsonl" -TotalCount 1 -Encoding UTF8 | ConvertFrom-Json
    "container: $($started.mechanism)"
    & processkit-cli events --file "$dir/run.jsonl" --validate | Out-Null
    if ($LASTEXITCODE -ne 0) { exit $LASTEXITCODE }
    'events: valid'

    # Caps are a property of the host. Without them this is no failure here.
    & processkit-cli run --run-id $id --jsonl "$dir/caps.jsonl" --timeout "30s" --no-echo `
        --max-memory "256m" --max-processes "64" -- processkit-cli --version
    switch ($LASTEXITCODE) {
        0 { 'caps: yes' }
        102 { 'caps: no, see above' }
        default { exit $LASTEXITCODE }
    }
}
finally {
    Remove-Item -Recurse -Force -Path $dir
}
exit 0
