# Completion of processkit-cli and its tools for Elvish, made by make docs.

use path
use str

# Below each command: what can follow, and what it is.
var below = [
  &''=[
    ['run' 'run one command, contained and on record']
    ['inspect' 'ask live runs what they are and who is inside']
    ['cancel' 'ask live runs to end cleanly']
    ['kill' 'end live runs at once']
    ['wait' 'return when runs are over']
    ['events' 'show, follow or check an event stream']
    ['list' 'show the registered runs and whether they live']
    ['prune' 'remove what dead runs left behind']
    ['probe' 'tell what this build can do']
    ['procctl' 'launch a command on its own, stop it by its fingerprint']
    ['help' 'print the help of a command']
    ['--install=<dir>' 'link this binary as every pkc-COMMAND in DIR']
    ['--error-format=human|json' 'shape of a failure on stderr, for any command']
    ['--version' 'print the version']
    ['-V' 'print the version']
    ['--help' 'print this']
    ['-h' 'print this']
  ]
  &'run'=[
    ['--jsonl=<file>' 'event stream']
    ['--timeout=' 'end the run when it has taken this long']
    ['--idle-timeout=' 'end the run after this long without output']
    ['--grace=' 'pause between SIGTERM and SIGKILL when a run is ended']
    ['--capture-dir=<dir>' 'keep stdout.log and stderr.log in DIR']
    ['--run-id=' 'name of the run, 1 to 256 characters']
    ['--label=...' 'note for list and filters']
    ['--run-id-env=' 'set KEY to the run id in the child''s environment']
    ['--argv-raw' 'record the command line itself, not only its digest']
    ['--snapshot-interval=' 'record the members of the tree this often']
    ['--max-memory=' 'bytes, or with k, m, g (powers of 1024)']
    ['--max-processes=' 'processes and threads together, as the kernel counts']
    ['--cpu-quota=' 'for example 0.5 or 2']
    ['--inherit-stdin' 'the child reads the runner''s stdin']
    ['--stdin-file=<file>' 'the child reads FILE']
    ['--no-echo' 'do not pass stdout and stderr through']
    ['--inherit-stdio' 'the child gets the runner''s own three streams, and the terminal if there is one']
    ['--capture-max-bytes=' 'ceiling for each file (default 8m)']
    ['--capture-overflow=truncate|cancel' 'past the ceiling: keep running (default) or end with 113']
    ['--cwd=<dir>' 'directory of the child']
    ['--env-clear...' 'start from an empty environment']
    ['--env-remove=...' 'drop a variable']
    ['--env-file=<file>...' 'lines KEY=VALUE, blank lines and # comments']
    ['--env=...' 'set a variable']
    ['--detach' 'return with 0 as soon as the run has started']
    ['--create-no-window' 'Windows: no console window for the program']
    ['--windows-graceful-ctrl-break' 'Windows: a console group of its own for the program, whose soft stop sends CTRL_BREAK too']
    ['--error-format=human|json' 'shape of a failure on stderr']
    ['--help' 'print one screen of help (-h) or all of it (--help)']
    ['-h' 'print one screen of help (-h) or all of it (--help)']
  ]
  &'inspect'=[
    ['--run-id=<live>' 'the one live run of this id']
    ['--all' 'every run that is live now']
    ['--label=...' 'with --all: only runs that carry this label']
    ['--json' 'one JSON line instead of text']
    ['--error-format=human|json' 'shape of a failure on stderr']
    ['--help' 'print one screen of help (-h) or all of it (--help)']
    ['-h' 'print one screen of help (-h) or all of it (--help)']
  ]
  &'cancel'=[
    ['--run-id=<live>' 'the one live run of this id']
    ['--all' 'every run that is live now']
    ['--label=...' 'with --all: only runs that carry this label']
    ['--error-format=human|json' 'shape of a failure on stderr']
    ['--help' 'print one screen of help (-h) or all of it (--help)']
    ['-h' 'print one screen of help (-h) or all of it (--help)']
  ]
  &'kill'=[
    ['--run-id=<live>' 'the one live run of this id']
    ['--all' 'every run that is live now']
    ['--label=...' 'with --all: only runs that carry this label']
    ['--error-format=human|json' 'shape of a failure on stderr']
    ['--help' 'print one screen of help (-h) or all of it (--help)']
    ['-h' 'print one screen of help (-h) or all of it (--help)']
  ]
  &'wait'=[
    ['--run-id=<live>' 'the run of this id']
    ['--all' 'every run that is live now, not those that start later']
    ['--label=...' 'with --all: only runs that carry this label']
    ['--timeout=' 'give up after this long']
    ['--report-outcome' 'print how the run ended']
    ['--error-format=human|json' 'shape of a failure on stderr']
    ['--help' 'print one screen of help (-h) or all of it (--help)']
    ['-h' 'print one screen of help (-h) or all of it (--help)']
  ]
  &'events'=[
    ['--run-id=<registered>' 'the run']
    ['--file=<file>' 'the stream itself, a regular file']
    ['--json' 'pass every line that is JSON through, byte for byte']
    ['--validate' 'hold every line against the event schema instead']
    ['--follow' 'go on as the stream grows, until its runner_exit']
    ['--error-format=human|json' 'shape of a failure on stderr']
    ['--help' 'print one screen of help (-h) or all of it (--help)']
    ['-h' 'print one screen of help (-h) or all of it (--help)']
  ]
  &'list'=[
    ['--label=...' 'only runs that carry this label']
    ['--health=live|stale|unprobed' 'only live, stale or unprobed entries']
    ['--json' 'one JSON object a line instead of a table']
    ['--error-format=human|json' 'shape of a failure on stderr']
    ['--help' 'print one screen of help (-h) or all of it (--help)']
    ['-h' 'print one screen of help (-h) or all of it (--help)']
  ]
  &'prune'=[
    ['--dry-run' 'show what would go, remove nothing']
    ['--label=...' 'only runs that carry this label']
    ['--json' 'one JSON object instead of the tally']
    ['--error-format=human|json' 'shape of a failure on stderr']
    ['--help' 'print one screen of help (-h) or all of it (--help)']
    ['-h' 'print one screen of help (-h) or all of it (--help)']
  ]
  &'probe'=[
    ['--json' 'one JSON line']
    ['--require-surface=...' 'end with 110 unless TOKEN is there: a command such as wait, or a flag such as run:--idle-timeout']
    ['--print-schema' 'print the JSON Schema of the event stream instead']
    ['--require-schema-version=' 'end with 110 unless the events have just this version']
    ['--require-exit-code-band=' 'end with 110 unless the suite''s own codes are just these']
    ['--error-format=human|json' 'shape of a failure on stderr']
    ['--help' 'print one screen of help (-h) or all of it (--help)']
    ['-h' 'print one screen of help (-h) or all of it (--help)']
  ]
  &'procctl'=[
    ['launch' 'start a command, wait until its identity has settled, write it down']
    ['stop' 'end the process of a fingerprint, or refuse and signal nobody']
    ['--error-format=human|json' 'shape of a failure on stderr, before or after the command']
    ['--help' 'print one screen of help (-h) or all of it (--help)']
    ['-h' 'print one screen of help (-h) or all of it (--help)']
  ]
  &'procctl launch'=[
    ['--attempt=<dir>' 'its working directory']
    ['--fingerprint=<file>' 'where its identity goes']
    ['--log=<file>' 'its stdout and stderr are appended']
    ['--error-format=human|json' 'shape of a failure on stderr']
    ['--help' 'print one screen of help (-h) or all of it (--help)']
    ['-h' 'print one screen of help (-h) or all of it (--help)']
  ]
  &'procctl stop'=[
    ['--timeout=' 'wait this long after SIGTERM (default 10s)']
    ['--error-format=human|json' 'shape of a failure on stderr']
    ['--help' 'print one screen of help (-h) or all of it (--help)']
    ['-h' 'print one screen of help (-h) or all of it (--help)']
    ['<file>' 'FILE']
  ]
  &'help'=[
    ['run' 'run one command, contained and on record']
    ['inspect' 'ask live runs what they are and who is inside']
    ['cancel' 'ask live runs to end cleanly']
    ['kill' 'end live runs at once']
    ['wait' 'return when runs are over']
    ['events' 'show, follow or check an event stream']
    ['list' 'show the registered runs and whether they live']
    ['prune' 'remove what dead runs left behind']
    ['probe' 'tell what this build can do']
    ['procctl' 'launch a command on its own, stop it by its fingerprint']
  ]
  &'help procctl'=[
    ['launch' 'start a command, wait until its identity has settled, write it down']
    ['stop' 'end the process of a fingerprint, or refuse and signal nobody']
  ]
]

fn runs {|tool @filter|
  var dir = ''
  if (str:contains $tool /) { set dir = (path:dir $tool)/ }
  for lister [[$dir'processkit-cli' list] [$dir'pkc-list']] {
    if (has-external $lister[0]) {
      try { (external $lister[0]) (all $lister[1..]) --json $@filter 2>/dev/null | from-json | each {|r| put $r[run_id] } } catch e { }
      break
    }
  }
}

fn values {|tool kind typed|
  if (eq $kind '<live>') { runs $tool --health live
  } elif (eq $kind '<registered>') { runs $tool
  } elif (has-value ['<file>' '<dir>'] $kind) { edit:complete-filename $typed
  } elif (not-eq $kind '') { str:split '|' $kind }
}

# What the flag takes, nil if it is no flag that takes a value.
fn takes {|path flag|
  var value = $nil
  for entry $below[$path] {
    if (str:has-prefix $entry[0] $flag'=') { set value = (str:trim-suffix (str:trim-prefix $entry[0] $flag'=') ...) }
  }
  put $value
}

fn complete {|@words|
  var tool = $words[0]
  var path = ''
  if (str:has-prefix (path:base $tool) pkc-) { set path = (str:trim-prefix (path:base $tool) pkc-) }
  if (not (has-key $below $path)) { return }
  var value = $nil
  var seen = [&]
  for i [(range 1 (- (count $words) 1))] {
    var w = $words[$i]
    if (not-eq $value $nil) { set value = $nil; continue }
    if (eq $w --) { edit:complete-sudo (all $words[$i..]); return }
    if (str:has-prefix $w -) {
      set seen[(str:split &max=2 = $w | take 1)] = $true
      set value = (takes $path $w)
    } else {
      var next = (str:trim-left $path' '$w ' ')
      if (has-key $below $next) { set path = $next }
    }
  }
  if (not-eq $value $nil) {
    values $tool $value $words[-1]
    return
  }
  if (and (str:has-prefix $words[-1] --) (str:contains $words[-1] =)) {
    var flag typed = (str:split &max=2 = $words[-1])
    set value = (takes $path $flag)
    if (not-eq $value $nil) {
      values $tool $value $typed | each {|c| put $flag'='(if (eq (kind-of $c) string) { put $c } else { put $c[stem] }) }
    }
    return
  }
  var commands = (and (> (count $below[$path]) 0) (not (str:has-prefix $below[$path][0][0] -)))
  for entry $below[$path] {
    if (str:has-prefix $entry[0] '<') { values $tool $entry[0] $words[-1]; continue }
    var name = (str:trim-suffix (str:split &max=2 = $entry[0] | take 1) ...)
    if (and (str:has-prefix $name -) $commands (not (str:has-prefix $words[-1] -))) { continue }
    if (or (str:has-suffix $entry[0] ...) (not (has-key $seen $name))) {
      edit:complex-candidate $name &display=$name'  '$entry[1]
    }
  }
}

for command ['processkit-cli' 'pkc-run' 'pkc-inspect' 'pkc-cancel' 'pkc-kill' 'pkc-wait' 'pkc-events' 'pkc-list' 'pkc-prune' 'pkc-probe' 'pkc-procctl'] {
  set edit:completion:arg-completer[$command] = $complete~
}
