module processkit-cli/multicall

go 1.26.0

require (
	processkit-cli/pkc-run v0.0.0
	processkit-cli/pkcshared v0.0.0
)

require (
	github.com/containerd/cgroups/v3 v3.1.3 // indirect
	github.com/moby/sys/userns v0.1.0 // indirect
	github.com/peterbourgon/ff/v3 v3.4.0 // indirect
	github.com/tidwall/gjson v1.20.3 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.3.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace (
	processkit-cli/fixtures => ../fixtures
	processkit-cli/pkc-run => ../pkc-run
	processkit-cli/pkcshared => ../pkcshared
)
