<#
.SYNOPSIS
Installs processkit-cli and its tools, or removes them.

.DESCRIPTION
Downloads a release, checks it against its SHA256SUMS, and installs
processkit-cli.exe with every tool. Installing again upgrades. A file of the
same name that is not of this project is never replaced.
For Windows PowerShell 5.1 and PowerShell 7.

.PARAMETER BaseUrl
Where releases are published, such as https://HOST/OWNER/REPOSITORY/releases; by
default the value of PROCESSKIT_CLI_BASE_URL.

.PARAMETER Version
This release instead of the latest one, such as 1.2.3.

.PARAMETER Dir
Instead of Programs\processkit-cli below LOCALAPPDATA.

.PARAMETER Uninstall
Remove what was installed.

.PARAMETER Help
Print this.
#>
param(
    [string]$BaseUrl = $env:PROCESSKIT_CLI_BASE_URL,
    [string]$Version = '',
    [string]$Dir = '',
    [switch]$Uninstall,
    [switch]$Help
)

Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue' # its bar slows downloads in 5.1

# The words that Go puts into every program it builds: which one it is.
$mark = "path`tprocesskit-cli/"

# A program of this project, by its build information. Nothing is executed to
# find out.
function Test-Ours([string]$Path) {
    if (-not (Test-Path -LiteralPath $Path -PathType Leaf)) {
        return $false
    }
    $bytes = [IO.File]::ReadAllBytes($Path)
    return [Text.Encoding]::GetEncoding(28591).GetString($bytes).Contains($mark)
}

function Get-Platform {
    $arch = $env:PROCESSOR_ARCHITEW6432 # of the system, where this is a 32-bit process
    if (-not $arch) {
        $arch = $env:PROCESSOR_ARCHITECTURE
    }
    switch ($arch) {
        'AMD64' { return 'windows_amd64' }
        'ARM64' { return 'windows_arm64' }
    }
    throw "no release for this machine: $arch"
}

function Save-Url([string]$Url, [string]$File) {
    try {
        Invoke-WebRequest -UseBasicParsing -Uri $Url -OutFile $File
    } catch {
        throw "cannot download ${Url}: $($_.Exception.Message); nothing was changed"
    }
}

# The one archive for this platform in SHA256SUMS, and its sum.
function Select-Archive([string]$Sums, [string]$Platform) {
    $wanted = '[0-9A-Za-z.+-]+'
    if ($Version) {
        $wanted = [Regex]::Escape($Version)
    }
    $pattern = "^([0-9a-f]{64})  (processkit-cli_($wanted)_$Platform)\.zip$"
    $found = @(Get-Content -LiteralPath $Sums | Where-Object { $_ -cmatch $pattern })
    if ($found.Count -ne 1) {
        throw "SHA256SUMS names $($found.Count) archives for $Platform, want 1; nothing was changed"
    }
    $null = $found[0] -cmatch $pattern
    return @{ Sum = $Matches[1]; Stem = $Matches[2]; Version = $Matches[3] }
}

# Refuses an archive that holds anything but what a release holds.
function Test-Members([string]$Archive, [string]$Stem) {
    Add-Type -AssemblyName System.IO.Compression.FileSystem
    $zip = [IO.Compression.ZipFile]::OpenRead($Archive)
    try {
        $names = @($zip.Entries | ForEach-Object { $_.FullName })
    } finally {
        $zip.Dispose()
    }
    $pattern = '^' + [Regex]::Escape($Stem) + '/(bin/(processkit-cli|pkc-[a-z0-9-]+)\.exe|share/[0-9A-Za-z._/-]+)$'
    foreach ($name in $names) {
        if ($name -cnotmatch $pattern -or $name.Contains('..')) {
            throw 'the archive has an unexpected member; nothing was changed'
        }
    }
}

# Removes what killed installers left; their process id is in its name.
function Clear-Leftovers {
    foreach ($left in @(Get-ChildItem -LiteralPath $Dir -Force)) {
        if ($left.Name -cmatch '^\.processkit-cli\.new\.([0-9]{1,9})\.' -and
            -not (Get-Process -Id $Matches[1] -ErrorAction SilentlyContinue)) {
            Remove-Item -LiteralPath $left.FullName -Force
        }
    }
}

function Install-Suite {
    if (-not $BaseUrl) {
        throw '-BaseUrl is required: it says where releases are published'
    }
    if ($BaseUrl.Contains('@')) {
        throw '-BaseUrl: want a URL without a user'
    }
    if ($BaseUrl -cnotmatch '^(https://|http://(localhost|127\.0\.0\.1|\[::1\])[:/])') {
        throw '-BaseUrl: want an https URL'
    }
    $base = $BaseUrl.TrimEnd('/')
    $platform = Get-Platform
    [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
    $temp = Join-Path ([IO.Path]::GetTempPath()) ('processkit-cli.' + [Guid]::NewGuid())
    $staged = @()
    try {
        $null = New-Item -ItemType Directory -Path $temp
        $sums = Join-Path $temp 'SHA256SUMS'
        if ($Version) {
            Save-Url "$base/download/v$Version/SHA256SUMS" $sums
        } else {
            Save-Url "$base/latest/download/SHA256SUMS" $sums
        }
        $release = Select-Archive $sums $platform
        $archive = Join-Path $temp "$($release.Stem).zip"
        Save-Url "$base/download/v$($release.Version)/$($release.Stem).zip" $archive
        if ((Get-FileHash -LiteralPath $archive -Algorithm SHA256).Hash -ne $release.Sum) {
            throw 'the archive does not match SHA256SUMS; nothing was changed'
        }
        Test-Members $archive $release.Stem
        Expand-Archive -LiteralPath $archive -DestinationPath $temp
        $programs = @(Get-ChildItem -LiteralPath (Join-Path $temp "$($release.Stem)\bin"))
        $null = New-Item -ItemType Directory -Path $Dir -Force
        Clear-Leftovers
        foreach ($program in $programs) {
            $path = Join-Path $Dir $program.Name
            if ((Test-Path -LiteralPath $path) -and -not (Test-Ours $path)) {
                throw "$path is not of this project; nothing was changed"
            }
        }
        foreach ($program in $programs) {
            if (-not (Test-Ours $program.FullName)) {
                throw 'the archive holds another program; nothing was changed'
            }
            $new = Join-Path $Dir ".processkit-cli.new.$PID.$($program.Name)"
            $staged += $new
            Copy-Item -LiteralPath $program.FullName -Destination $new
        }
        $said = & (Join-Path $Dir ".processkit-cli.new.$PID.processkit-cli.exe") --version
        if ($said -notlike "* $($release.Version)") {
            throw "the program is not version $($release.Version); nothing was changed"
        }
        # One after the other, each whole: after a failure here run this again.
        foreach ($program in $programs) {
            $new = Join-Path $Dir ".processkit-cli.new.$PID.$($program.Name)"
            $path = Join-Path $Dir $program.Name
            if (Test-Path -LiteralPath $path) {
                [IO.File]::Replace($new, $path, [NullString]::Value)
            } else {
                [IO.File]::Move($new, $path)
            }
        }
    } finally {
        foreach ($path in @($temp) + $staged) {
            if (Test-Path -LiteralPath $path) {
                Remove-Item -LiteralPath $path -Recurse -Force
            }
        }
    }
    Write-Output "processkit-cli $($release.Version) is in $Dir"
    if (($env:PATH -split ';') -notcontains $Dir) {
        Write-Output "$Dir is not on your PATH"
    }
}

function Uninstall-Suite {
    if (-not (Test-Path -LiteralPath $Dir)) {
        return
    }
    foreach ($file in @(Get-ChildItem -LiteralPath $Dir -Force -File)) {
        if ($file.Name -cnotmatch '^(pkc-.*|processkit-cli)\.exe$') {
            continue
        }
        if (Test-Ours $file.FullName) {
            Remove-Item -LiteralPath $file.FullName -Force
            Write-Output "removed $($file.FullName)"
        } else {
            Write-Output "left $($file.FullName): it is not of this project"
        }
    }
    Clear-Leftovers
}

if ($Help) {
    Get-Help $PSCommandPath -Detailed
    exit 0
}
try {
    $Version = $Version -creplace '^v', '' # as the tag has it
    if ($Version -and $Version -cnotmatch '^[0-9A-Za-z.+-]+$') {
        throw '-Version: want numbers such as 1.2.3'
    }
    if (-not $Dir) {
        $Dir = Join-Path $env:LOCALAPPDATA 'Programs\processkit-cli'
    }
    $Dir = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($Dir)
    if ($Uninstall) {
        Uninstall-Suite
    } else {
        Install-Suite
    }
} catch {
    [Console]::Error.WriteLine("install.ps1: $($_.Exception.Message)")
    exit 1
}
