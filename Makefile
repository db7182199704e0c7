# Targets of the suite; `make help` lists them.

GO       ?= go
VERSION  ?= 0.1.0
BIN      := bin
TOOLS    := $(patsubst %/main.go,%,$(wildcard pkc-*/main.go))
MODULES  := pkcshared fixtures multicall $(TOOLS)
STAMP    := -X processkit-cli/pkcshared/applet.Version=$(VERSION)
# The version goes in twice: STAMP is what the tools say of themselves, TAG is
# what pkc-probe reads in the files of others. With -trimpath the linker records
# -tags in the build info (go version -m shows it) but leaves -ldflags out.
TAG      := processkit.version.$(VERSION)
BUILD    := CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -tags '$(TAG)' -ldflags '-s -w $(STAMP)'
EXE      := $(if $(filter windows,$(GOOS)),.exe)
TARGETS  := linux/amd64 linux/arm64 windows/amd64 windows/arm64 darwin/amd64 darwin/arm64 freebsd/amd64
PACKAGES := $(addsuffix /...,$(addprefix ./,$(MODULES)))
# The cache of test results sees the files of one module only; docs are outside.
export PKC_PAGES := $(shell cat README.md CHANGELOG.md $$(find docs -type f) | cksum)

GOFUMPT     := mvdan.cc/gofumpt@v0.12.0
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
ACTIONLINT  := github.com/rhysd/actionlint/cmd/actionlint@v1.7.12

# A release: its files' time is the commit's; BASE_URL is where it will be
# published, and without it there are no manifests for package managers.
# The caller's settings of Go must not reach the bytes.
DIST       := dist
EPOCH       = $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct))
BASE_URL   :=
MAINTAINER := The processkit-cli authors
NFPM       := github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.0
PLAIN      := GOFLAGS= GOEXPERIMENT= GOFIPS140=off GOAMD64=v1 GOARM64=v8.0

.DEFAULT_GOAL := help
.PHONY: help build demo test stress race lint fmt docs cross dist vm wine bench peers clean

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1 - /p' $(MAKEFILE_LIST)

build: ## bin/processkit-cli and every bin/pkc-*, static
	@mkdir -p $(BIN)
	$(BUILD) -o $(BIN)/processkit-cli$(EXE) ./multicall
	@for t in $(TOOLS); do echo "$(BIN)/$$t$(EXE)"; $(BUILD) -o $(BIN)/$$t$(EXE) ./$$t || exit 1; done

demo: build ## a real command in a contained run, and its story from the stream
	@sh docs/examples/demo.sh $(BIN)

test: build ## unit, script and containment tests
	$(GO) test -timeout 170s $(PACKAGES)

stress: ## a hundred runs at once, and clients that never rest (a minute)
	PKC_STRESS=1 $(GO) test -run Stress -count=1 -timeout 60s -v ./multicall

race: ## the same under the race detector (needs cgo)
	GORACE=atexit_sleep_ms=0 CGO_ENABLED=1 $(GO) test -race -timeout 10m $(PACKAGES)

lint: ## gofumpt, vet, staticcheck, actionlint
	@out=$$($(GO) run $(GOFUMPT) -l $(MODULES)); test -z "$$out" || { echo "not gofumpt-ed:"; echo "$$out"; exit 1; }
	$(GO) vet $(PACKAGES)
	$(GO) run $(STATICCHECK) $(PACKAGES)
	$(GO) run $(ACTIONLINT) -shellcheck= -pyflakes= .github/workflows/*.yml
	@for m in $(MODULES); do (cd $$m && GOWORK=off $(GO) mod tidy -diff >/dev/null) || { echo "$$m: go mod tidy"; exit 1; }; done

fmt: ## rewrite with gofumpt
	$(GO) run $(GOFUMPT) -w $(MODULES)

docs: ## man pages, completions, help texts and surface from the tools themselves
	$(GO) test ./multicall -count=1 -run '^(TestSurface|TestHelpTexts|TestGenerated)$$' -update

cross: ## build and vet for every target
	@for t in $(TARGETS); do \
		echo $$t; \
		GOOS=$${t%/*} GOARCH=$${t#*/} CGO_ENABLED=0 $(GO) build -o /dev/null ./multicall && \
		GOOS=$${t%/*} GOARCH=$${t#*/} CGO_ENABLED=0 $(GO) vet $(PACKAGES) || exit 1; \
	done

dist: ## dist/: archives and packages of every target, the same bytes each time
	rm -rf $(DIST)
	@for t in $(TARGETS); do \
		$(PLAIN) GOOS=$${t%/*} GOARCH=$${t#*/} $(MAKE) --no-print-directory build BIN=$(BIN)/$$t || exit 1; \
	done
	@$(PLAIN) $(GO) run ./multicall/release --version $(VERSION) --epoch '$(EPOCH)' --bin $(BIN) --out $(DIST) \
		$(addprefix --target ,$(TARGETS)) --base-url '$(BASE_URL)' \
		$(if $(NFPM),--nfpm '$(GO) run $(NFPM)' --maintainer '$(MAINTAINER)')
	$(if $(NFPM),PKC_RELEASE="$$(cd $(DIST) && pwd)" $(GO) test ./multicall/release -count=1 -run '^TestMade')

# Each flavour with the facts that it must have; see fixtures/lab/README.md.
VM       := fixtures/lab/vm-run.sh -t 400
VM_RUN   := ./run.test -test.v=false -test.timeout 380s
VM_CAPS  := $(VM_RUN) -test.run 'Cap|CPU|Codes|Signal|Leak|Escape'

vm: ## caps and delegation in a virtual machine with pure cgroup v2 (minutes)
	@mkdir -p $(BIN)/vm
	CGO_ENABLED=0 $(GO) test -c -o $(BIN)/vm/run.test ./pkc-run/runcmd
	$(VM) -f root -e PKC_REQUIRE=cgroup_v2,caps $(BIN)/vm $(VM_CAPS)
	$(VM) -f deleg -e PKC_REQUIRE=cgroup_v2,caps $(BIN)/vm $(VM_CAPS)
	$(VM) -f nodeleg $(BIN)/vm $(VM_CAPS)
	$(VM) -f systemd -u OOMPolicy=continue -e HOME=/root -e PKC_REQUIRE=cgroup_v2 $(BIN)/vm $(VM_CAPS)
	$(VM) -f systemd -u Delegate=yes -e HOME=/root -e PKC_REQUIRE=cgroup_v2,caps $(BIN)/vm $(VM_CAPS)
	$(VM) -f systemd-session $(BIN)/vm $(VM_CAPS)
	$(VM) -f systemd-user -e PKC_REQUIRE=cgroup_v2,caps $(BIN)/vm $(VM_CAPS)

# The tests as Windows programs, then those that look at Wine from outside. What
# the former cannot build themselves lies in WINE_BIN.
WINE_BIN := $(CURDIR)/$(BIN)/windows
WINE     := $(filter-out pkc-procctl,$(MODULES)) pkc-procctl/internal
HOST      = env GOOS=$(shell $(GO) env GOHOSTOS) GOARCH=$(shell $(GO) env GOHOSTARCH) GOFLAGS=

wine: ## the tests of the Windows build under Wine (needs root; minutes)
	@GOOS=windows GOARCH=amd64 $(MAKE) -s build BIN=$(WINE_BIN)
	PKC_BUILT=$(WINE_BIN) fixtures/lab/wine.sh sh -ec '\
		$(GO) test -count=1 -timeout 300s $(addsuffix /...,$(addprefix ./,$(WINE))); \
		$(HOST) $(GO) test -count=1 -timeout 120s -run Wine ./pkc-run/runcmd'

# BENCH_RUN chooses rows; only without it the page is written.
BENCH_TIME ?= 4m
BENCH_RUN  ?=

bench: build ## side by side with timeout, tini, jq and others, into docs/benchmarks.md (minutes)
	@mkdir -p $(BIN)/bench
	@for p in bench bench/play bench/wrapper child; do $(BUILD) -o $(BIN)/bench/ ./fixtures/$$p || exit 1; done
	$(BIN)/bench/bench -bin $(BIN) -helpers $(BIN)/bench -time $(BENCH_TIME) -run '$(value BENCH_RUN)' -o docs/benchmarks.md

peers: ## the programs that bench compares with, from Debian's packages, as root
	apt-get -qq update
	DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends coreutils tini dumb-init catatonit jq

clean: ## remove what the other targets made
	rm -rf $(BIN) $(DIST)
