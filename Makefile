# Everyday commands and gates. `make help` lists them. Go and Node are all that must be there.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# What Go compiled in one checkout serves the next: no path of this one is in it.
export GOFLAGS := $(strip $(GOFLAGS) -trimpath)

# Tools are pinned here; Go builds them on first use and keeps them in its cache.
GOLANGCI := go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GOTESTSUM := go run gotest.tools/gotestsum@v1.13.0

PACKAGES := ./cmd/... ./commands/... ./domain/... ./eventstore/... ./migrations/... ./projections/... ./readapi/... ./web ./docs/...
WEB := $(shell find web -type f -not -name '*.go' -not -name '*.test.ts*' \
	-not -path '*/node_modules/*' -not -path 'web/dist/*' -not -path 'web/e2e/*' -not -path 'web/openapi/*' -not -path 'web/test-results/*')
MODULES := web/node_modules/.installed
TYPES := web/openapi/node_modules/.installed
EXAMPLE := docs/examples/consumer/node/node_modules/.installed
DIST := web/dist/index.html

.PHONY: help
help: ## List the targets.
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  %-12s %s\n", $$1, $$2}'

.PHONY: run
run: build ## Open the shop on http://127.0.0.1:8080, with the demo on an empty log.
	@exec bin/shop serve --demo

.PHONY: dev
dev: build ## The same with hot reload of the storefront on http://127.0.0.1:5173.
	@trap 'kill $$server 2>/dev/null; wait $$server 2>/dev/null' EXIT; \
	bin/shop serve --demo & server=$$!; \
	cd web && npx --no-install vite

.PHONY: build
build: $(DIST) ## Build bin/shop with the storefront in it.
	@go build -o bin/shop ./cmd/shop

# While npm fetches, Go compiles: only linking has to wait for the storefront.
$(MODULES): web/package.json web/package-lock.json
	@go build ./commands/... ./projections ./readapi ./migrations/... & compiling=$$!; \
	(set -x; cd web && npm ci --no-audit --no-fund); wait $$compiling
	@touch $@

$(TYPES): web/openapi/package.json web/openapi/package-lock.json
	cd web/openapi && npm ci --no-audit --no-fund
	@touch $@

$(EXAMPLE): docs/examples/consumer/node/package.json docs/examples/consumer/node/package-lock.json
	cd docs/examples/consumer/node && npm ci --no-audit --no-fund
	@touch $@

$(DIST): $(MODULES) $(WEB)
	cd web && npm run --silent build
	@touch $@

.PHONY: types
types: $(TYPES) ## Generate the API types of the storefront and of the operators' page.
	cd web/openapi && npm run --silent generate

.PHONY: kazakh
kazakh: $(MODULES) ## Write docs/kazakh.md and docs/kazakh-staff.md: every Kazakh text beside its Russian one.
	cd web && WRITE_KAZAKH=1 npx --no-install vitest run kit/testing/kazakh-list

# One runner after the other: each fills the machine, and on a busy one tests miss deadlines. On a very busy one some do all the same: a Go test
# that fails is repeated alone. What passed with the same inputs is not run again: Go knows its packages, .ci/browser-tests the browser tests.
.PHONY: test
test: build $(EXAMPLE) ## Run every test: storefront, Go, browser.
	@failed=0; \
	(cd web && npm run --silent test) || failed=1; \
	$(GOTESTSUM) --format pkgname --rerun-fails=1 --rerun-fails-run-root-test --packages="$(PACKAGES)" -- -timeout 60m -parallel 3 || failed=1; \
	.ci/browser .ci/browser-tests || failed=1; \
	exit $$failed

.PHONY: race
race: build $(EXAMPLE) ## Run the Go tests under the race detector; needs a C compiler and some half an hour.
	go test -race -timeout 60m $(PACKAGES)

.PHONY: verify
verify: build $(TYPES) ## Everything that must hold before a change goes in.
	@unformatted=$$(gofmt -l cmd commands domain eventstore migrations projections readapi web/*.go); \
	if [ -n "$$unformatted" ]; then echo "gofmt these:"; echo "$$unformatted"; exit 1; fi
	go vet $(PACKAGES)
	$(GOLANGCI) run $(PACKAGES)
	cd web && npm run --silent lint && npm run --silent types && node scripts/budget.mjs
	cd web/openapi && npm run --silent check
	@$(MAKE) --no-print-directory test

.PHONY: audit
audit: $(MODULES) $(TYPES) ## Look for known vulnerabilities and insecure code, and list what the program is made of, in audit/; needs a network.
	@.ci/audit

.PHONY: bench
bench: build ## Measure the shop beside what its database can do.
	go run ./cmd/bench

.PHONY: bench-peers
bench-peers: ## Measure the log beside Emmett, Castore, watermill-sql and readers by hand.
	go run ./cmd/bench-peers

# HOSTILE is how long faults are injected, SEED what decides them; without one a new seed is taken and printed.
HOSTILE ?= 3m
SEED ?= 0
.PHONY: hostile
hostile: build ## Run the shop under kill -9, crashes and rollbacks for HOSTILE=3m, and prove that nothing was lost.
	go run ./cmd/hostile -for $(HOSTILE) -seed $(SEED)

FAULTS ?= 24
.PHONY: scale
scale: ## Buy in three regions while processes, networks, NATS and the primary fail (FAULTS=24, SEED=0), and prove that nothing was lost.
	SHOP_TEST_FSYNC=on SHOP_SCALE_REGIONS=2 SHOP_SCALE_FAULTS=$(FAULTS) SHOP_SCALE_SEED=$(SEED) go test ./cmd/shop -run '^TestScale$$' -count=1 -v -timeout 30m

.PHONY: screenshots
screenshots: build ## Take the README's pictures from the running shop.
	.ci/browser node web/scripts/screenshots.mjs

.PHONY: clean
clean: ## Remove what was built; the shop's data in .data stay.
	rm -rf bin web/dist/* web/node_modules web/openapi/node_modules
