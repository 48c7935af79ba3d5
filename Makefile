# make            what can be made
# The first `make setup` takes two to seven minutes, later ones under two seconds:
# every target that needs it runs it.

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0

# What `make oracle` compares with; its games can be set: GAMES=100 SEED=2 VARIANTS=atomic,horde
FFISH := ffish-es6@0.7.10

# A chess client that is not ours, beside xboard, which apt has.
NODEUCI := node-uci@1.3.4

# What `make onnx` computes our ONNX models with.
ONNXRUNTIME := onnxruntime-node@1.30.0

GAMES ?= 10000
SEED ?= 1
VARIANTS ?=
# Rules composed at random, and the games of each and of the rules in files.
RULES ?= 200
RULEGAMES ?= 2000

# What git says of this tree, for `alamos --version`; empty outside a repository.
RELEASE := $(shell git describe --always --dirty --tags 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help setup build run test race soak vuln cluster oracle clients onnx gpu-kit lint bench profile clean go

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: go ## find or install libtorch and the opponents, and fit gotch to it
	@# GOWORK=off: a go.work that points nowhere must not keep its own repair from running
	@GOWORK=off go run ./pkg/nn/fit

build: setup ## compile bin/alamos
	go build -ldflags '-X main.release=$(RELEASE)' -o bin/alamos ./runner

run: build ## run the first experiment: minutes, on any machine
	bin/alamos run experiments/quickstart.yaml

test: setup ## run the tests
	@# GOWORK=off: the copy of gotch that setup makes is no downloaded module
	GOWORK=off go mod verify
	go test -timeout 20m ./...

# The packages that start goroutines, but for those that take minutes: bench, nn, run, train.
# The detector needs more memory than two tests allow.
RACE := data disk hook hub lichess match nn/fit web puzzle selfplay uci
race: setup ## run the short tests of the packages that start goroutines with the race detector
	go test -race -short -timeout 20m -skip '^(TestVeryMuchMemoryAtOnce|TestSampleFilesAreStreamed)$$' $(addprefix ./pkg/,$(RACE))

SOAK ?= 30m
soak: setup ## play, lichess with faults, and a run at work for SOAK=30m: nothing that they hold may grow
	go test ./pkg/web ./pkg/lichess ./pkg/run -run '^TestSoak$$' -p 3 -count=1 -v -timeout 0 -soak $(SOAK)

vuln: setup ## look for known vulnerabilities in the code that is called, where the database can be reached
	@mkdir -p bin
	@GOBIN=$(CURDIR)/bin go install $(GOVULNCHECK) || { echo "warning: govulncheck cannot be had without a network"; exit 0; }; \
	echo govulncheck ./...; bin/govulncheck ./... >bin/vuln.txt 2>&1; status=$$?; cat bin/vuln.txt; \
	if [ $$status -eq 1 ] && grep -q 'fetching vulnerabilities' bin/vuln.txt; then \
		echo "warning: the database of vulnerabilities cannot be reached: nothing was checked"; \
	else \
		exit $$status; \
	fi

cluster: build ## as root: a hub with workers behind bad lines, and Slurm, make the bytes of one machine: minutes
	@for tool in nft tc slurmctld munged; do PATH=$$PATH:/usr/sbin command -v $$tool >/dev/null || { echo "make cluster needs $$tool (Debian: apt-get install nftables iproute2 slurm-wlm munge)"; exit 1; }; done
	PATH=$$PATH:/usr/sbin .ci/cluster

oracle: go ## compare games of all variants and of rules in files with Fairy-Stockfish, move list by move list: 75 minutes
	@for tool in node npm; do command -v $$tool >/dev/null || { echo "make oracle needs $$tool (Debian: apt-get install nodejs npm)"; exit 1; }; done
	@grep -qs '"version": "$(lastword $(subst @, ,$(FFISH)))"' .opponents/oracle/node_modules/ffish-es6/package.json || \
		npm install --prefix .opponents/oracle --no-save --no-audit --no-fund $(FFISH)
	go test ./pkg/chess -run 'TestOracle$$|TestPerftSuites' -count=1 -v -timeout 0 -oracle.games $(GAMES) -oracle.seed $(SEED) -oracle.variants '$(VARIANTS)'
	go test ./pkg/chess -run 'TestOracleRules' -count=1 -v -timeout 0 -oracle.games $(RULEGAMES) -oracle.seed $(SEED) -oracle.rules $(RULES)

clients: setup ## have programs of other people, xboard and node-uci, play our engine
	@for tool in xboard polyglot xvfb-run xauth; do PATH=$$PATH:/usr/games command -v $$tool >/dev/null || { echo "make clients needs $$tool (Debian: apt-get install xboard polyglot xvfb xauth)"; exit 1; }; done
	@grep -qs '"version": "$(lastword $(subst @, ,$(NODEUCI)))"' .opponents/clients/node_modules/node-uci/package.json || \
		npm install --prefix .opponents/clients --no-save --no-audit --no-fund --ignore-scripts $(NODEUCI)
	go test ./runner -run 'TestXboard|TestNodeUCI' -count=1 -v

onnx: setup ## compare ONNX models as onnxruntime computes them with our networks (installs 300 MB)
	@for tool in node npm; do command -v $$tool >/dev/null || { echo "make onnx needs $$tool (Debian: apt-get install nodejs npm)"; exit 1; }; done
	@grep -qs '"version": "$(lastword $(subst @, ,$(ONNXRUNTIME)))"' .opponents/onnx/node_modules/onnxruntime-node/package.json || \
		npm install --prefix .opponents/onnx --no-save --no-audit --no-fund --ignore-scripts $(ONNXRUNTIME)
	go test ./pkg/nn -run TestONNXRuntime -count=1 -v

KIT := bin/alamos-gpu-kit
# Programs of a kit find libtch.so in its folder lib.
KITLINK := -s -w -extldflags=-Wl,-rpath,$$ORIGIN/lib

gpu-kit: setup ## pack what checks and runs alamos on a graphics card of another machine
	rm -rf $(KIT) $(KIT).tar.gz
	mkdir -p $(KIT)/nn
	go build -ldflags '$(KITLINK) -X main.release=$(RELEASE)' -o $(KIT)/alamos ./runner
	go test -c -ldflags '$(KITLINK)' -o $(KIT)/nn.test ./pkg/nn
	GOWORK=off CGO_ENABLED=0 go build -ldflags '-s -w' -o $(KIT)/fit ./pkg/nn/fit
	GOWORK=off go run ./pkg/nn/fit -pack $(KIT)
	cp -r experiments pkg/nn/fit/kit/gpu-check.sh $(KIT)
	cp -r pkg/nn/testdata $(KIT)/nn
	tar -C bin -czf $(KIT).tar.gz $(notdir $(KIT))
	@ls -l $(KIT).tar.gz

bench: setup ## measure chess, the network, search and self-play
	go test -run '^$$' -bench . -benchmem ./pkg/...

PROFILE := bin/profile
profile: setup ## measure rules, search and encoders for the compiler's optimization (runner/default.pgo)
	mkdir -p $(PROFILE)
	go test -run '^$$' -bench 'Perft|LegalMoves' -cpuprofile $(PROFILE)/chess -o $(PROFILE)/test ./pkg/chess
	go test -run '^$$' -bench Visit -benchtime 3s -cpuprofile $(PROFILE)/search -o $(PROFILE)/test ./pkg/search
	go test -run '^$$' -bench . -benchtime 0.5s -cpuprofile $(PROFILE)/encode -o $(PROFILE)/test ./pkg/encode
	go tool pprof -proto -output $(PROFILE)/all $(addprefix $(PROFILE)/,chess search encode)
	mv $(PROFILE)/all runner/default.pgo
	rm -r $(PROFILE)

lint: setup ## gofmt, go vet, and golangci-lint where it is installed or else staticcheck
	@unformatted=$$(gofmt -l experiments runner pkg plots) && if [ -n "$$unformatted" ]; then echo "not formatted (gofmt -w):"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	@if command -v golangci-lint >/dev/null; then \
		echo golangci-lint run; golangci-lint run; \
	elif go run $(STATICCHECK) -version >/dev/null 2>&1; then \
		echo staticcheck ./...; go run $(STATICCHECK) ./...; \
	else \
		echo "warning: no golangci-lint, and staticcheck cannot be had without a network: gofmt and go vet only"; \
	fi

clean: ## remove what make wrote here; results and the cache stay
	rm -rf bin .opponents
	rm -f go.work go.work.sum

go:
	@command -v go >/dev/null || { echo "alamos needs Go 1.26 or newer, and there is no go on the PATH: https://go.dev/dl/ (Debian 12's own golang is too old)"; exit 1; }
