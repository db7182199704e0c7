# Completion of processkit-cli and its tools for fish, made by make docs.

# Whether the words so far lead to this command. A flag that takes a value
# before them takes the next word.
function __processkit_cli_at
    set -l path
    set -l words (commandline -opc)
    set -e words[1]
    while set -q words[1]
        switch $words[1]
            case --
                return 1
            case --install --error-format
                set -e words[1]
            case '-*'
            case '*'
                contains -- (string join ' ' -- $path $words[1]) 'run' 'inspect' 'cancel' 'kill' 'wait' 'events' 'list' 'prune' 'probe' 'procctl' 'procctl launch' 'procctl stop' 'help' 'help procctl' 
                and set -a path $words[1]
        end
        set -e words[1]
    end
    test "$path" = "$argv"
end

# Whether a program comes here, or belongs to the words so far.
function __processkit_cli_has_program
    contains -- -- (commandline -opc)
end

function __processkit_cli_program
    set -l words (commandline -opc)
    set -e words[1..(contains -i -- -- $words)]
    complete -C (string join ' ' -- (string escape -- $words) (commandline -ct))
end

function __processkit_cli_runs
    set -l dir (string match -r '^.*/' -- (commandline -opc)[1])
    begin
        command "$dir"processkit-cli list --json $argv 2>/dev/null
        or command "$dir"pkc-list --json $argv 2>/dev/null
    end | string replace -rf '^\{"run_id":"((?:[^"\\\\]|\\\\.)*)".*$' '$1' | string replace -a '\\"' '"' | string replace -a '\\\\' '\\'
end

complete -c processkit-cli -f
complete -c processkit-cli -n __processkit_cli_has_program -a '(__processkit_cli_program)'

complete -c processkit-cli -n '__processkit_cli_at ' -a run -d 'run one command, contained and on record'
complete -c processkit-cli -n '__processkit_cli_at ' -a inspect -d 'ask live runs what they are and who is inside'
complete -c processkit-cli -n '__processkit_cli_at ' -a cancel -d 'ask live runs to end cleanly'
complete -c processkit-cli -n '__processkit_cli_at ' -a kill -d 'end live runs at once'
complete -c processkit-cli -n '__processkit_cli_at ' -a wait -d 'return when runs are over'
complete -c processkit-cli -n '__processkit_cli_at ' -a events -d 'show, follow or check an event stream'
complete -c processkit-cli -n '__processkit_cli_at ' -a list -d 'show the registered runs and whether they live'
complete -c processkit-cli -n '__processkit_cli_at ' -a prune -d 'remove what dead runs left behind'
complete -c processkit-cli -n '__processkit_cli_at ' -a probe -d 'tell what this build can do'
complete -c processkit-cli -n '__processkit_cli_at ' -a procctl -d 'launch a command on its own, stop it by its fingerprint'
complete -c processkit-cli -n '__processkit_cli_at ' -a help -d 'print the help of a command'
complete -c processkit-cli -n '__processkit_cli_at ' -l install -x -a '(__fish_complete_directories)' -d 'link this binary as every pkc-COMMAND in DIR'
complete -c processkit-cli -n '__processkit_cli_at ' -l error-format -x -a 'human json' -d 'shape of a failure on stderr, for any command'
complete -c processkit-cli -n '__processkit_cli_at ' -l version -s V -d 'print the version'
complete -c processkit-cli -n '__processkit_cli_at ' -l help -s h -d 'print this'

complete -c processkit-cli -n '__processkit_cli_at run' -l jsonl -r -F -d 'event stream'
complete -c processkit-cli -n '__processkit_cli_at run' -l timeout -x -d 'end the run when it has taken this long'
complete -c processkit-cli -n '__processkit_cli_at run' -l idle-timeout -x -d 'end the run after this long without output'
complete -c processkit-cli -n '__processkit_cli_at run' -l grace -x -d 'pause between SIGTERM and SIGKILL when a run is ended'
complete -c processkit-cli -n '__processkit_cli_at run' -l capture-dir -x -a '(__fish_complete_directories)' -d 'keep stdout.log and stderr.log in DIR'
complete -c processkit-cli -n '__processkit_cli_at run' -l run-id -x -d 'name of the run, 1 to 256 characters'
complete -c processkit-cli -n '__processkit_cli_at run' -l label -x -d 'note for list and filters'
complete -c processkit-cli -n '__processkit_cli_at run' -l run-id-env -x -d 'set KEY to the run id in the child\'s environment'
complete -c processkit-cli -n '__processkit_cli_at run' -l argv-raw -d 'record the command line itself, not only its digest'
complete -c processkit-cli -n '__processkit_cli_at run' -l snapshot-interval -x -d 'record the members of the tree this often'
complete -c processkit-cli -n '__processkit_cli_at run' -l max-memory -x -d 'bytes, or with k, m, g (powers of 1024)'
complete -c processkit-cli -n '__processkit_cli_at run' -l max-processes -x -d 'processes and threads together, as the kernel counts'
complete -c processkit-cli -n '__processkit_cli_at run' -l cpu-quota -x -d 'for example 0.5 or 2'
complete -c processkit-cli -n '__processkit_cli_at run' -l inherit-stdin -d 'the child reads the runner\'s stdin'
complete -c processkit-cli -n '__processkit_cli_at run' -l stdin-file -r -F -d 'the child reads FILE'
complete -c processkit-cli -n '__processkit_cli_at run' -l no-echo -d 'do not pass stdout and stderr through'
complete -c processkit-cli -n '__processkit_cli_at run' -l inherit-stdio -d 'the child gets the runner\'s own three streams, and the terminal if there is one'
complete -c processkit-cli -n '__processkit_cli_at run' -l capture-max-bytes -x -d 'ceiling for each file (default 8m)'
complete -c processkit-cli -n '__processkit_cli_at run' -l capture-overflow -x -a 'truncate cancel' -d 'past the ceiling: keep running (default) or end with 113'
complete -c processkit-cli -n '__processkit_cli_at run' -l cwd -x -a '(__fish_complete_directories)' -d 'directory of the child'
complete -c processkit-cli -n '__processkit_cli_at run' -l env-clear -d 'start from an empty environment'
complete -c processkit-cli -n '__processkit_cli_at run' -l env-remove -x -d 'drop a variable'
complete -c processkit-cli -n '__processkit_cli_at run' -l env-file -r -F -d 'lines KEY=VALUE, blank lines and # comments'
complete -c processkit-cli -n '__processkit_cli_at run' -l env -x -d 'set a variable'
complete -c processkit-cli -n '__processkit_cli_at run' -l detach -d 'return with 0 as soon as the run has started'
complete -c processkit-cli -n '__processkit_cli_at run' -l create-no-window -d 'Windows: no console window for the program'
complete -c processkit-cli -n '__processkit_cli_at run' -l windows-graceful-ctrl-break -d 'Windows: a console group of its own for the program, whose soft stop sends CTRL_BREAK too'
complete -c processkit-cli -n '__processkit_cli_at run' -l error-format -x -a 'human json' -d 'shape of a failure on stderr'
complete -c processkit-cli -n '__processkit_cli_at run' -l help -s h -d 'print one screen of help (-h) or all of it (--help)'

complete -c processkit-cli -n '__processkit_cli_at inspect' -l run-id -x -a '(__processkit_cli_runs --health live)' -d 'the one live run of this id'
complete -c processkit-cli -n '__processkit_cli_at inspect' -l all -d 'every run that is live now'
complete -c processkit-cli -n '__processkit_cli_at inspect' -l label -x -d 'with --all: only runs that carry this label'
complete -c processkit-cli -n '__processkit_cli_at inspect' -l json -d 'one JSON line instead of text'
complete -c processkit-cli -n '__processkit_cli_at inspect' -l error-format -x -a 'human json' -d 'shape of a failure on stderr'
complete -c processkit-cli -n '__processkit_cli_at inspect' -l help -s h -d 'print one screen of help (-h) or all of it (--help)'

complete -c processkit-cli -n '__processkit_cli_at cancel' -l run-id -x -a '(__processkit_cli_runs --health live)' -d 'the one live run of this id'
complete -c processkit-cli -n '__processkit_cli_at cancel' -l all -d 'every run that is live now'
complete -c processkit-cli -n '__processkit_cli_at cancel' -l label -x -d 'with --all: only runs that carry this label'
complete -c processkit-cli -n '__processkit_cli_at cancel' -l error-format -x -a 'human json' -d 'shape of a failure on stderr'
complete -c processkit-cli -n '__processkit_cli_at cancel' -l help -s h -d 'print one screen of help (-h) or all of it (--help)'

complete -c processkit-cli -n '__processkit_cli_at kill' -l run-id -x -a '(__processkit_cli_runs --health live)' -d 'the one live run of this id'
complete -c processkit-cli -n '__processkit_cli_at kill' -l all -d 'every run that is live now'
complete -c processkit-cli -n '__processkit_cli_at kill' -l label -x -d 'with --all: only runs that carry this label'
complete -c processkit-cli -n '__processkit_cli_at kill' -l error-format -x -a 'human json' -d 'shape of a failure on stderr'
complete -c processkit-cli -n '__processkit_cli_at kill' -l help -s h -d 'print one screen of help (-h) or all of it (--help)'

complete -c processkit-cli -n '__processkit_cli_at wait' -l run-id -x -a '(__processkit_cli_runs --health live)' -d 'the run of this id'
complete -c processkit-cli -n '__processkit_cli_at wait' -l all -d 'every run that is live now, not those that start later'
complete -c processkit-cli -n '__processkit_cli_at wait' -l label -x -d 'with --all: only runs that carry this label'
complete -c processkit-cli -n '__processkit_cli_at wait' -l timeout -x -d 'give up after this long'
complete -c processkit-cli -n '__processkit_cli_at wait' -l report-outcome -d 'print how the run ended'
complete -c processkit-cli -n '__processkit_cli_at wait' -l error-format -x -a 'human json' -d 'shape of a failure on stderr'
complete -c processkit-cli -n '__processkit_cli_at wait' -l help -s h -d 'print one screen of help (-h) or all of it (--help)'

complete -c processkit-cli -n '__processkit_cli_at events' -l run-id -x -a '(__processkit_cli_runs)' -d 'the run'
complete -c processkit-cli -n '__processkit_cli_at events' -l file -r -F -d 'the stream itself, a regular file'
complete -c processkit-cli -n '__processkit_cli_at events' -l json -d 'pass every line that is JSON through, byte for byte'
complete -c processkit-cli -n '__processkit_cli_at events' -l validate -d 'hold every line against the event schema instead'
complete -c processkit-cli -n '__processkit_cli_at events' -l follow -d 'go on as the stream grows, until its runner_exit'
complete -c processkit-cli -n '__processkit_cli_at events' -l error-format -x -a 'human json' -d 'shape of a failure on stderr'
complete -c processkit-cli -n '__processkit_cli_at events' -l help -s h -d 'print one screen of help (-h) or all of it (--help)'

complete -c processkit-cli -n '__processkit_cli_at list' -l label -x -d 'only runs that carry this label'
complete -c processkit-cli -n '__processkit_cli_at list' -l health -x -a 'live stale unprobed' -d 'only live, stale or unprobed entries'
complete -c processkit-cli -n '__processkit_cli_at list' -l json -d 'one JSON object a line instead of a table'
complete -c processkit-cli -n '__processkit_cli_at list' -l error-format -x -a 'human json' -d 'shape of a failure on stderr'
complete -c processkit-cli -n '__processkit_cli_at list' -l help -s h -d 'print one screen of help (-h) or all of it (--help)'

complete -c processkit-cli -n '__processkit_cli_at prune' -l dry-run -d 'show what would go, remove nothing'
complete -c processkit-cli -n '__processkit_cli_at prune' -l label -x -d 'only runs that carry this label'
complete -c processkit-cli -n '__processkit_cli_at prune' -l json -d 'one JSON object instead of the tally'
complete -c processkit-cli -n '__processkit_cli_at prune' -l error-format -x -a 'human json' -d 'shape of a failure on stderr'
complete -c processkit-cli -n '__processkit_cli_at prune' -l help -s h -d 'print one screen of help (-h) or all of it (--help)'

complete -c processkit-cli -n '__processkit_cli_at probe' -l json -d 'one JSON line'
complete -c processkit-cli -n '__processkit_cli_at probe' -l require-surface -x -d 'end with 110 unless TOKEN is there: a command such as wait, or a flag such as run:--idle-timeout'
complete -c processkit-cli -n '__processkit_cli_at probe' -l print-schema -d 'print the JSON Schema of the event stream instead'
complete -c processkit-cli -n '__processkit_cli_at probe' -l require-schema-version -x -d 'end with 110 unless the events have just this version'
complete -c processkit-cli -n '__processkit_cli_at probe' -l require-exit-code-band -x -d 'end with 110 unless the suite\'s own codes are just these'
complete -c processkit-cli -n '__processkit_cli_at probe' -l error-format -x -a 'human json' -d 'shape of a failure on stderr'
complete -c processkit-cli -n '__processkit_cli_at probe' -l help -s h -d 'print one screen of help (-h) or all of it (--help)'

complete -c processkit-cli -n '__processkit_cli_at procctl' -a launch -d 'start a command, wait until its identity has settled, write it down'
complete -c processkit-cli -n '__processkit_cli_at procctl' -a stop -d 'end the process of a fingerprint, or refuse and signal nobody'
complete -c processkit-cli -n '__processkit_cli_at procctl' -l error-format -x -a 'human json' -d 'shape of a failure on stderr, before or after the command'
complete -c processkit-cli -n '__processkit_cli_at procctl' -l help -s h -d 'print one screen of help (-h) or all of it (--help)'

complete -c processkit-cli -n '__processkit_cli_at procctl launch' -l attempt -x -a '(__fish_complete_directories)' -d 'its working directory'
complete -c processkit-cli -n '__processkit_cli_at procctl launch' -l fingerprint -r -F -d 'where its identity goes'
complete -c processkit-cli -n '__processkit_cli_at procctl launch' -l log -r -F -d 'its stdout and stderr are appended'
complete -c processkit-cli -n '__processkit_cli_at procctl launch' -l error-format -x -a 'human json' -d 'shape of a failure on stderr'
complete -c processkit-cli -n '__processkit_cli_at procctl launch' -l help -s h -d 'print one screen of help (-h) or all of it (--help)'

complete -c processkit-cli -n '__processkit_cli_at procctl stop' -l timeout -x -d 'wait this long after SIGTERM (default 10s)'
complete -c processkit-cli -n '__processkit_cli_at procctl stop' -l error-format -x -a 'human json' -d 'shape of a failure on stderr'
complete -c processkit-cli -n '__processkit_cli_at procctl stop' -l help -s h -d 'print one screen of help (-h) or all of it (--help)'
complete -c processkit-cli -n '__processkit_cli_at procctl stop' -F

complete -c processkit-cli -n '__processkit_cli_at help' -a run -d 'run one command, contained and on record'
complete -c processkit-cli -n '__processkit_cli_at help' -a inspect -d 'ask live runs what they are and who is inside'
complete -c processkit-cli -n '__processkit_cli_at help' -a cancel -d 'ask live runs to end cleanly'
complete -c processkit-cli -n '__processkit_cli_at help' -a kill -d 'end live runs at once'
complete -c processkit-cli -n '__processkit_cli_at help' -a wait -d 'return when runs are over'
complete -c processkit-cli -n '__processkit_cli_at help' -a events -d 'show, follow or check an event stream'
complete -c processkit-cli -n '__processkit_cli_at help' -a list -d 'show the registered runs and whether they live'
complete -c processkit-cli -n '__processkit_cli_at help' -a prune -d 'remove what dead runs left behind'
complete -c processkit-cli -n '__processkit_cli_at help' -a probe -d 'tell what this build can do'
complete -c processkit-cli -n '__processkit_cli_at help' -a procctl -d 'launch a command on its own, stop it by its fingerprint'

complete -c processkit-cli -n '__processkit_cli_at help procctl' -a launch -d 'start a command, wait until its identity has settled, write it down'
complete -c processkit-cli -n '__processkit_cli_at help procctl' -a stop -d 'end the process of a fingerprint, or refuse and signal nobody'

complete -c pkc-run -w 'processkit-cli run'
complete -c pkc-inspect -w 'processkit-cli inspect'
complete -c pkc-cancel -w 'processkit-cli cancel'
complete -c pkc-kill -w 'processkit-cli kill'
complete -c pkc-wait -w 'processkit-cli wait'
complete -c pkc-events -w 'processkit-cli events'
complete -c pkc-list -w 'processkit-cli list'
complete -c pkc-prune -w 'processkit-cli prune'
complete -c pkc-probe -w 'processkit-cli probe'
complete -c pkc-procctl -w 'processkit-cli procctl'
