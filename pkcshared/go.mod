module processkit-cli/pkcshared

go 1.26.0

require (
	github.com/peterbourgon/ff/v3 v3.4.0
	github.com/tidwall/gjson v1.20.3
	golang.org/x/sys v0.50.0
)

require (
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // indirect
	golang.org/x/text v0.14.0 // indirect
	golang.org/x/tools v0.26.0 // indirect
)

require (
	github.com/rogpeppe/go-internal v1.16.0
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.3.0 // indirect
	processkit-cli/fixtures v0.0.0
)

replace processkit-cli/fixtures => ../fixtures
