module processkit-cli/multicall

go 1.26.0

require (
	go.yaml.in/yaml/v3 v3.0.4
	processkit-cli/fixtures v0.0.0
	processkit-cli/pkc-cancel v0.0.0
	processkit-cli/pkc-events v0.0.0
	processkit-cli/pkc-inspect v0.0.0
	processkit-cli/pkc-kill v0.0.0
	processkit-cli/pkc-list v0.0.0
	processkit-cli/pkc-probe v0.0.0
	processkit-cli/pkc-procctl v0.0.0
	processkit-cli/pkc-prune v0.0.0
	processkit-cli/pkc-run v0.0.0
	processkit-cli/pkc-wait v0.0.0
	processkit-cli/pkcshared v0.0.0
)

require (
	github.com/google/renameio/v2 v2.0.2 // indirect
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // indirect
	golang.org/x/text v0.14.0 // indirect
	golang.org/x/tools v0.26.0 // indirect
)

require (
	github.com/containerd/cgroups/v3 v3.1.3 // indirect
	github.com/moby/sys/userns v0.1.0 // indirect
	github.com/peterbourgon/ff/v3 v3.4.0 // indirect
	github.com/rogpeppe/go-internal v1.16.0
	github.com/tidwall/gjson v1.20.3
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.3.0 // indirect
	golang.org/x/sys v0.50.0
)

replace (
	processkit-cli/fixtures => ../fixtures
	processkit-cli/pkc-cancel => ../pkc-cancel
	processkit-cli/pkc-events => ../pkc-events
	processkit-cli/pkc-inspect => ../pkc-inspect
	processkit-cli/pkc-kill => ../pkc-kill
	processkit-cli/pkc-list => ../pkc-list
	processkit-cli/pkc-probe => ../pkc-probe
	processkit-cli/pkc-procctl => ../pkc-procctl
	processkit-cli/pkc-prune => ../pkc-prune
	processkit-cli/pkc-run => ../pkc-run
	processkit-cli/pkc-wait => ../pkc-wait
	processkit-cli/pkcshared => ../pkcshared
)
