# make check is everything a change must pass; nothing runs in CI that it does
# not run. Needs Go, make, bash and git.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:

GO       ?= go
TEST     ?= $(GO) test ./...
FUZZTIME ?= 10s
BENCH    ?= .

# Platforms that must build besides the one at hand; all use the plain Go kernels.
PLATFORMS := darwin/arm64 linux/arm64 windows/amd64

# What the official cue must accept. The templates of gradcue init are files of
# one folder each of which stands alone, so they are not among them.
SPECS := ./...

.PHONY: help build test race fuzz bench golden generate lint vet fmt cue fresh cover cross cuda gpu-kit gpu-check sim cudatest ptx sass check steps clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-10s %s\n", $$1, $$2}' Makefile

build: ## all packages, and the commands into bin/
	$(GO) build ./...
	$(GO) build -o bin/ ./cmd/...

test: ## all tests
	$(TEST)

race: ## all tests under the race detector (needs a C compiler)
	$(GO) test -race ./...

fuzz: ## every fuzz target for FUZZTIME (default 10s)
	@for pkg in $$($(GO) list ./...); do \
	  for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "$$pkg $$target"; \
	    $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$pkg; \
	  done; \
	done

bench: ## benchmarks of the kernels (BENCH=regexp)
	$(GO) test -run '^$$' -bench '$(BENCH)' ./kernels/...

golden: ## rewrite golden files from what the code does now
	UPDATE=1 $(GO) test -count=1 ./...

generate: ## rewrite generated files
	$(GO) generate ./...
	UPDATE=1 $(GO) test -count=1 -run 'TestOpsPage|TestRulesPage|TestLLMCLedger' ./compiler/ir ./compiler ./cmd/gradcue

lint: fmt vet ## formatting, go vet, and the size of the tree
	@git ls-files -co --exclude-standard '*.go' | grep -v '_test\.go$$' | xargs grep -L '^// Code generated .* DO NOT EDIT\.$$' \
	  | xargs cat | wc -l | xargs printf '%d lines of Go without tests and generated files\n'

vet: ## go vet
	$(GO) vet ./...

fmt: ## formatting of Go and CUE
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt would change:"; echo "$$unformatted"; exit 1; fi
	$(GO) tool cue fmt --check ./...

cue: ## the official cue on every package of specs
	$(GO) tool cue vet -c $(SPECS)

fresh: ## generated files are what generate writes
	.ci/unchanged $(MAKE) --no-print-directory generate

cover: ## statement coverage of the tests
	$(GO) test -coverprofile=cover.out ./...
	$(GO) tool cover -func=cover.out | tail -n 1

cross: ## build for the other platforms
	@for p in $(PLATFORMS); do \
	  echo "build for $$p"; \
	  CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) build ./...; \
	done

# gorgonia.org/cu looks for cuda.h in a toolkit; ours comes first, so none is needed.
cuda: export CGO_CFLAGS := -O2 -g -I$(CURDIR)/runtime/cuda
cuda: ## the command with the CUDA engine, into bin/ (needs a C compiler, no toolkit)
	$(GO) build -tags cuda -o bin/gradcue-cuda ./cmd/gradcue

# Without symbols: it may have to be carried far.
gpu-kit: export CGO_CFLAGS := -O2 -g -I$(CURDIR)/runtime/cuda
gpu-kit: ## what gpu-check needs on a machine without Go, into bin/
	$(GO) build -tags cuda -ldflags='-s -w' -o bin/gradcue-cuda ./cmd/gradcue
	mkdir -p bin/gpu
	$(GO) test -c -tags cuda -ldflags='-s -w' -o bin/gpu/cuda.test ./runtime/cuda
	$(GO) test -c -tags cuda -ldflags='-s -w' -o bin/gpu/gradcue.test ./cmd/gradcue

gpu-check: gpu-kit ## what only a GPU can show: parity, speed, predictions; ten minutes
	.ci/gpu-check

sim: ## the simulated CUDA driver, into bin/sim/ (needs g++ on x86-64 Linux)
	$(MAKE) --no-print-directory -C kernels/cuda/sim OUT=$(CURDIR)/bin/sim

cudatest: ## the CUDA engine on the simulated driver, as CI tests it
	.ci/cuda

ptx: ## rewrite the PTX of the CUDA kernels (needs clang-16)
	kernels/cuda/ptx.sh
	$(MAKE) --no-print-directory -C kernels/cuda/sim ptx

sass: ## assemble the PTX with ptxas and compare kernels/cuda/registers.txt (gets ptxas from Debian non-free)
	kernels/cuda/sass.sh

check: ## build, vet, fmt, cue, fresh, test, cross; the tree must come out unchanged
	.ci/unchanged $(MAKE) --no-print-directory steps

steps:
	$(GO) build ./...
	$(MAKE) --no-print-directory vet fmt cue fresh cross
	$(TEST)

clean: ## remove what make wrote
	rm -rf bin cover.out
