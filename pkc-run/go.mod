module processkit-cli/pkc-run

go 1.26.0

require (
	github.com/containerd/cgroups/v3 v3.1.3
	golang.org/x/sys v0.50.0
	processkit-cli/pkcshared v0.0.0
)

require (
	github.com/moby/sys/userns v0.1.0 // indirect
	github.com/peterbourgon/ff/v3 v3.4.0 // indirect
)

replace (
	processkit-cli/fixtures => ../fixtures
	processkit-cli/pkcshared => ../pkcshared
)
