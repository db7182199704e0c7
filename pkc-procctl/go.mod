module processkit-cli/pkc-procctl

go 1.26.0

require (
	github.com/google/renameio/v2 v2.0.2
	github.com/rogpeppe/go-internal v1.16.0
	github.com/tidwall/gjson v1.20.3
	golang.org/x/sys v0.50.0
	processkit-cli/fixtures v0.0.0
	processkit-cli/pkcshared v0.0.0
)

require (
	github.com/peterbourgon/ff/v3 v3.4.0 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.3.0 // indirect
	golang.org/x/tools v0.26.0 // indirect
)

replace (
	processkit-cli/fixtures => ../fixtures
	processkit-cli/pkcshared => ../pkcshared
)
