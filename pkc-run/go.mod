module processkit-cli/pkc-run

go 1.26.0

require (
	github.com/containerd/cgroups/v3 v3.1.3
	golang.org/x/sys v0.50.0
	processkit-cli/fixtures v0.0.0
	processkit-cli/pkcshared v0.0.0
)

require (
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.3.0 // indirect
	golang.org/x/text v0.14.0 // indirect
	golang.org/x/tools v0.26.0 // indirect
)

require (
	github.com/moby/sys/userns v0.1.0 // indirect
	github.com/peterbourgon/ff/v3 v3.4.0 // indirect
	github.com/rogpeppe/go-internal v1.16.0
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // indirect
	github.com/tidwall/gjson v1.20.3
)

replace (
	processkit-cli/fixtures => ../fixtures
	processkit-cli/pkcshared => ../pkcshared
)
